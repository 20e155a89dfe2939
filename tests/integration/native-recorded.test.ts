import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { vendorKind } from '#lib/domain/vendor-kind-list'
import { ChatTap } from '#lib/wire/chat/tap'
import { RULES } from '#lib/wire/testing'
import { type ApiWorld, expectError, headersOf, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { RECORDED_DIR, recordedExists, respondRecorded, sendEvents } from '../fakes/bridged-vendors.ts'
import { CHAT_ROWS } from '../fakes/kinds/chat-rows.ts'
import { ANSWER_CELLS, isNone, isStream } from '../fakes/kinds/row.ts'
import { recordedLines } from '../fakes/kinds/send.ts'
import { addModel } from '../support/fixtures.ts'
import { referenceRequired } from '../support/reference.ts'

/** Dollars per million tokens: 1 for input, a tenth of that if it was cached, 5 for output. */
const UNITS = { input: '1000000000', cached_input: '100000000', output: '5000000000' }

/** Input tokens, how many of those were cached, output tokens with all thoughts, and how many of those were thoughts. */
type TokenCounts = [number, number, number, number]

const RESPONSES: Record<string, { kind: string; used: TokenCounts }> = {
  'azure/azure-text.1.json': { kind: 'azure', used: [11, 0, 11, 0] },
  'azure/azure-text.1.chunks.txt': { kind: 'azure', used: [11, 0, 11, 0] },
  'azure/azure-tool-call.1.json': { kind: 'azure', used: [45, 0, 24, 0] },
  'azure/azure-tool-call.1.chunks.txt': { kind: 'azure', used: [45, 0, 24, 0] },
  'xai/responses/xai-text-streaming.1.chunks.txt': { kind: 'xai', used: [216, 192, 863, 237] },
  'xai/responses/xai-text-with-reasoning-streaming-store-false.1.chunks.txt': { kind: 'xai', used: [216, 192, 831, 253] },
  'xai/responses/xai-text-with-reasoning-streaming.1.chunks.txt': { kind: 'xai', used: [216, 192, 923, 323] },
}

const KINDS = [...new Set(['openai', ...Object.values(RESPONSES).map(({ kind }) => kind)])]

const costOf = ([input, cached, output]: TokenCounts): bigint => BigInt((input - cached) * 1000 + cached * 100 + output * 5000)

// biome-ignore lint/suspicious/noExplicitAny: answers are read field by field
type Json = any

test('the recorded answers are there, where they have to be', () => {
  expect(recordedExists || !referenceRequired, RECORDED_DIR).toBe(true)
})

describe.skipIf(!recordedExists)(`recorded answers (${recordedExists ? 'found' : 'skipped: no ../shared/reference'})`, () => {
  let world: ApiWorld

  beforeAll(async () => {
    world = await openApiWorld()
    for (const kind of KINDS) await addModel(world.pool, { id: `fake/${kind}`, baseUrl: world.vendor.url, kind, units: UNITS })
    await untilModelKnown(world, `fake/${KINDS.at(-1)}`)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.each(Object.entries(RESPONSES))('%s', async (file, { kind, used }) => {
    const stream = file.endsWith('.txt')
    const holder = await world.holder()
    world.vendor.answer(stream ? (call) => sendEvents(call, recordedLines(file)) : respondRecorded(file))
    const body = JSON.stringify({ model: `fake/${kind}`, input: 'Hi', ...(stream ? { stream } : {}) })
    const answer = await world.send({ path: '/v1/responses', headers: headersOf(holder.secret), body })
    expect(answer.status, answer.text).toBe(200)
    expect(world.vendor.calls.at(-1)).toMatchObject({ path: '/v1/responses', body: { store: false } })
    expect(await world.record(holder.accountId)).toMatchObject({ estimated: false, charged: costOf(used) })
    await world.expectSettledBooks(holder, 1)
  })

  test('an error that names a parameter is a 400 that names it', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondRecorded('openai/chat/reasoning-model-legacy-parameter-error.json', 400))
    const answer = await world.chat(holder.secret, { model: 'fake/openai' })
    const expected = { condition: 'invalid_request', param: 'max_tokens', code: 'unsupported_parameter' } as const
    expectError(answer, { ...expected, message: /Unsupported parameter/ })
    expect((await world.record(holder.accountId)).charged).toBe(0n)
  })
})

/** Splits in two are tried within this many bytes of the end, where the usage is. In large streams not all of them are tried. */
const SPLIT_BYTES = 3000

describe.skipIf(!recordedExists)('recorded streams, split anywhere', () => {
  const forwarded = Object.entries(CHAT_ROWS).filter(([kind]) => vendorKind(kind)?.reached === 'forwarded')
  const cells = forwarded.flatMap(([, row]) => ANSWER_CELLS.flatMap((name) => (isNone(row[name]) ? [] : row[name])))
  const recorded = cells.flatMap(({ bytes }) => ('recorded' in bytes && isStream(bytes) ? [bytes.recorded] : []))
  const files = [...new Set(recorded)]
  const feedTap = (pieces: Buffer[]): { out: string; end: Json } => {
    const tap = new ChatTap({ rules: RULES, wantsUsage: true })
    const out = Buffer.concat(pieces.map((piece) => tap.push(piece)))
    expect(tap.broken).toBeNull()
    return { out: out.toString('utf8'), end: tap.end() }
  }

  test.each(files)('%s', (file) => {
    const bytes = Buffer.from([...recordedLines(file), '[DONE]'].map((line) => `data: ${line}\n\n`).join(''))
    const unsplit = feedTap([bytes])
    expect(unsplit.end.complete).toBe(true)
    // Every split at once: each byte arrives alone.
    expect(feedTap(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toEqual(unsplit)
    const step = Math.ceil(bytes.length / 20_000)
    for (let at = Math.max(1, bytes.length - SPLIT_BYTES); at < bytes.length; at += step)
      expect(feedTap([bytes.subarray(0, at), bytes.subarray(at)]).end).toEqual(unsplit.end)
  })
})
