import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { vendorKind } from '#lib/domain/vendor-kind-list'
import {
  type ApiWorld,
  expectError,
  type Holder,
  headersOf,
  newClientIp,
  openApiWorld,
  untilModelKnown,
} from '../fakes/api-world.ts'
import { RECORDED_DIR, recordedExists } from '../fakes/bridged-vendors.ts'
import { formBody } from '../fakes/form-body.ts'
import { pngOf } from '../fakes/image-vendor.ts'
import { baseUrlAt } from '../fakes/kinds/base-url.ts'
import { type FailedReply, type MediaRow, type Reply, WORKS, type Work } from '../fakes/kinds/media-row.ts'
import { MEDIA_ROWS } from '../fakes/kinds/media-rows.ts'
import { FAULTS, type Fault, isNone, SECRET } from '../fakes/kinds/row.ts'
import { operatorTextsOf, respondFault } from '../fakes/kinds/send.ts'
import { type Call, sendJson } from '../fakes/vendor.ts'
import { wavOf } from '../fakes/wav.ts'
import { addModel } from '../support/fixtures.ts'
import type { RawAnswer } from '../support/raw-client.ts'
import { referenceRequired } from '../support/reference.ts'

const PNG = pngOf()
const SECONDS = 2.4

/** The price of each modality in nano-dollars per million, and what one request here costs. */
const PRICES: Record<Work['modality'], { units: Record<string, string>; charged: bigint }> = {
  image: { units: { image: '10000000000000' }, charged: 10_000_000n },
  // Five characters.
  speech: { units: { character: '15000000000' }, charged: 75_000n },
  // 2.4 seconds are billed as three, whatever the vendor heard.
  transcription: { units: { audio_second: '100000000000' }, charged: 300_000n },
}

const ROWS = Object.entries(MEDIA_ROWS)
const worksOf = (row: MediaRow): Work[] => WORKS.flatMap((name) => [row[name]].filter((cell) => !isNone(cell)) as Work[])
const nameOf = (kind: string, { modality }: Work): string => `${modality}/${kind}`

let world: ApiWorld
/** Its requests have little time. */
let shortTimeoutWorld: ApiWorld

async function open(env: Record<string, string>): Promise<ApiWorld> {
  // Each row fails more often than it answers.
  const opened = await openApiWorld({ BREAKER_FAILURES: '0', ...env })
  const origin = new URL(opened.vendor.url).origin
  let last = ''
  for (const [kind, row] of ROWS)
    for (const work of worksOf(row)) {
      const known = vendorKind(kind)
      if (!known) throw new Error(`no kind ${kind}`)
      const { modality, upstreamModel } = work
      const { units } = PRICES[modality]
      last = nameOf(kind, work)
      const baseUrl = baseUrlAt(origin, known)
      await addModel(opened.pool, { id: last, kind, modality, upstreamModel, units, baseUrl, secret: SECRET })
    }
  await untilModelKnown(opened, last)
  return opened
}

beforeAll(async () => {
  world = await open({})
  shortTimeoutWorld = await open({ REQUEST_TIMEOUT_MS: '4000' })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await shortTimeoutWorld?.[Symbol.asyncDispose]()
})

const REQUESTS: Record<Work['modality'], { path: string; body: object }> = {
  image: { path: '/v1/images/generations', body: { prompt: 'a cat', size: '1024x768', response_format: 'b64_json' } },
  speech: { path: '/v1/audio/speech', body: { input: 'Hello', voice: '21m00Tcm4TlvDq8ikWAM' } },
  transcription: { path: '/v1/audio/transcriptions', body: {} },
}

async function ask(apiWorld: ApiWorld, model: string, { modality }: Work): Promise<{ holder: Holder; answer: RawAnswer }> {
  const holder = await apiWorld.holder()
  const { path, body } = REQUESTS[modality]
  if (modality !== 'transcription')
    return {
      holder,
      answer: await apiWorld.send({ path, headers: headersOf(holder.secret), body: JSON.stringify({ model, ...body }) }),
    }
  const form = formBody([
    ['model', model],
    ['response_format', 'verbose_json'],
    ['file', { filename: 'a.wav', content: wavOf(SECONDS) }],
  ])
  const headers: [string, string][] = [
    ['authorization', `Bearer ${holder.secret}`],
    ['content-type', form.type],
    ['x-forwarded-for', newClientIp()],
  ]
  return { holder, answer: await apiWorld.send({ path, headers, body: form.body }) }
}

function send(call: Call, { status = 200, body, bytes, type, recorded }: Reply): void {
  if (bytes) call.response.writeHead(status, { 'content-type': type ?? 'application/octet-stream' }).end(bytes)
  else if (recorded) sendJson(call, JSON.parse(readFileSync(resolve(RECORDED_DIR, recorded), 'utf8')), status)
  else sendJson(call, body ?? {}, status)
}

/** Makes the vendor work: a job is pending once and then ends like this, or never. */
function simulateVendor(apiWorld: ApiWorld, work: Work, end: 'done' | 'never' | FailedReply): void {
  const { origin } = new URL(apiWorld.vendor.url)
  const { job } = work
  let [posted, pollCount] = [0, 0]
  apiWorld.vendor.answer((call) => {
    if (call.path === '/result.png') return send(call, { bytes: PNG, type: 'image/png' })
    if (!job) return send(call, work.answer?.(origin) ?? {})
    if (call.request.method === 'POST') return send(call, job.begun[posted++]?.(origin) ?? {})
    pollCount++
    if (end === 'never' || (end === 'done' && pollCount === 1)) return send(call, job.pending(origin))
    send(call, end === 'done' ? job.done(origin) : end)
  })
}

const isRecorded = ({ answer, job }: Work): boolean =>
  [answer?.('http://x'), job?.done('http://x')].some((reply) => reply?.recorded !== undefined)

test('the recorded answers are there, where they have to be', () => {
  expect(recordedExists || !referenceRequired, RECORDED_DIR).toBe(true)
})

describe.each(ROWS)('%s', (kind, row) => {
  const works = worksOf(row).map((work): [string, Work] => [`${work.modality}, after ${work.source}`, work])

  test.for(works)('%s', async ([, work], { skip }) => {
    if (isRecorded(work) && !recordedExists) skip('no ../shared/reference')
    simulateVendor(world, work, 'done')
    const before = world.vendor.calls.length
    const { holder, answer } = await ask(world, nameOf(kind, work), work)
    expect(answer.status, answer.text).toBe(200)
    const calls = world.vendor.calls.slice(before)
    expect(calls.map(({ path }, at) => (path.startsWith(work.paths[at] ?? '?') ? work.paths[at] : path))).toEqual(work.paths)
    // The address of a result needs no credential.
    for (const call of calls.filter(({ path }) => path !== '/result.png'))
      expect(call.headers[row.credential[0]]).toBe(row.credential[1])
    expect(calls.filter(({ request }) => request.method === 'POST')).toHaveLength(work.job?.begun.length ?? 1)

    if (work.modality === 'image') expect(answer.json()).toMatchObject({ data: [{ b64_json: PNG.toString('base64') }] })
    else if (work.modality === 'speech') expect(answer.body).toEqual(work.answer?.('').bytes)
    else expect((answer.json() as { text: string }).text).toMatch(work.says ?? /^$/)
    const { charged } = PRICES[work.modality]
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'finished', estimated: false, charged })
    await world.expectSettledBooks(holder, 1)
  })

  async function expectRefused(
    apiWorld: ApiWorld,
    work: Work,
    fault: Pick<Fault, 'is' | 'says' | 'param' | 'retryAfter'>,
    vendorBody: unknown,
  ) {
    const { holder, answer } = await ask(apiWorld, nameOf(kind, work), work)
    const expectedMessage = fault.says ?? /^The model('s vendor)? [a-z ]+\. Try again in a moment\.$/
    expectError(answer, { condition: fault.is, param: fault.param ?? null, message: expectedMessage })
    expect(answer.header('retry-after')).toBe(fault.retryAfter ?? null)
    if (fault.says === undefined)
      for (const operatorText of operatorTextsOf(vendorBody)) expect(answer.text).not.toContain(operatorText)
    apiWorld.expectNoLeaks(answer)
    expect(answer.text).not.toContain(SECRET)
    expect(await apiWorld.record(holder.accountId)).toMatchObject({ outcome: 'vendor_failed', charged: 0n })
    await apiWorld.expectSettledBooks(holder, 1)
  }

  const [first] = worksOf(row)
  const faults = FAULTS.flatMap((name): [string, Fault][] => {
    const cell = row.faults[name]
    if (isNone(cell)) return []
    return [cell].flat().map((fault) => [`${name}: ${fault.status} ${JSON.stringify(fault.body).slice(0, 80)}`, fault])
  })

  test.for(faults)('error, %s', async ([, fault]) => {
    if (!first) throw new Error('nothing to ask for')
    world.vendor.answer(respondFault(fault))
    await expectRefused(world, first, fault, fault.body)
  })

  const jobs = isNone(row.polling) ? [] : row.polling
  const failed = jobs.flatMap((work) =>
    (work.job?.failed ?? []).map((end): [string, Work, FailedReply] => [JSON.stringify(end.body).slice(0, 120), work, end]),
  )

  test.for(failed)('work that ends as %s costs nothing', async ([, work, end], { skip }) => {
    if (isRecorded(work) && !recordedExists) skip('no ../shared/reference')
    simulateVendor(world, work, end)
    const before = world.vendor.calls.length
    await expectRefused(world, work, end, end.body)
    // The first poll has told everything.
    expect(world.vendor.calls.slice(before).filter(({ request }) => request.method === 'GET')).toHaveLength(1)
  })

  test.for(jobs.map((work): [string, Work] => [work.modality, work]))(
    '%s that is never done is given up, at no charge',
    async ([, work], { skip }) => {
      if (isRecorded(work) && !recordedExists) skip('no ../shared/reference')
      simulateVendor(shortTimeoutWorld, work, 'never')
      const before = shortTimeoutWorld.vendor.calls.length
      await expectRefused(shortTimeoutWorld, work, { is: 'unavailable', retryAfter: '5' }, null)
      const posts = shortTimeoutWorld.vendor.calls.slice(before).filter(({ request }) => request.method === 'POST')
      expect(posts).toHaveLength(work.job?.begun.length ?? 1)
    },
  )
})
