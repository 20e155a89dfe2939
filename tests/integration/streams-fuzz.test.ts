import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ApiWorld,
  headersOf,
  openApiWorld,
  UPSTREAM_MODEL,
  type UsageRow,
  untilModelKnown,
  VENDOR_SECRET,
} from '../fakes/api-world.ts'
import { type Call, chatChunk, sendEvent, startStream, usageChunk, usageOf } from '../fakes/vendor.ts'
import { hangUp } from '../fakes/vendor-faults.ts'
import { addModel } from '../support/fixtures.ts'
import { Random, randomSeed } from '../support/random.ts'
import { RawConnection, requestBytes } from '../support/raw-client.ts'

const CASES = 120
const CONCURRENCY = 8
const [INPUT, OUTPUT] = [2500n, 10_000n]
const PROMPT_TOKENS = 20

let world: ApiWorld
/** What the vendor does with the request of each case. */
const scripts = new Map<string, readonly Step[]>()

beforeAll(async () => {
  world = await openApiWorld({ REQUEST_TIMEOUT_MS: '1500' })
  const upstream = { upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET, baseUrl: world.vendor.url }
  await addModel(world.pool, { id: 'fake/thinks', capabilities: ['hidden-reasoning'], ...upstream })
  await addModel(world.pool, { id: 'fake/groq', kind: 'groq', ...upstream })
  for (const model of ['fake/thinks', 'fake/groq']) await untilModelKnown(world, model)
  world.vendor.answer(play)
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** `count`: how many tokens the vendor reports, with a word or separately. */
interface Step {
  does: 'start' | 'role' | 'word' | 'finish' | 'count' | 'done' | 'end' | 'refuse' | 'hang up' | 'fall silent' | 'garble' | 'fail'
  count?: number
  afterMs?: number
}

const role = { ...chatChunk(null), choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] }
const PLAY: Record<Step['does'], (call: Call, count: number | undefined) => void> = {
  start: startStream,
  role: (call) => sendEvent(call, role),
  word: (call, count) =>
    sendEvent(call, chatChunk(' word', null, count === undefined ? {} : { usage: usageOf(PROMPT_TOKENS, count) })),
  finish: (call) => sendEvent(call, chatChunk(null, 'stop')),
  count: (call, count = 0) => sendEvent(call, usageChunk(usageOf(PROMPT_TOKENS, count))),
  done: (call) => sendEvent(call, '[DONE]'),
  end: ({ response }) => void response.end(),
  refuse: ({ response }) => void response.writeHead(500).end('{}'),
  'hang up': hangUp,
  'fall silent': () => undefined,
  garble: ({ response }) => void response.end('data: {nope\n\n'),
  fail: (call) => sendEvent(call, { error: { message: 'It failed.', code: 'failed' } }),
}

async function play(call: Call): Promise<void> {
  const name = /case-\d+/.exec(JSON.stringify(call.body))?.[0] ?? ''
  for (const { does, count, afterMs = 0 } of scripts.get(name) ?? []) {
    await sleep(afterMs)
    if (call.response.destroyed) return
    PLAY[does](call, count)
  }
}

/** A good answer, with or without counts, which may break at any place. */
function randomScript(random: Random): Step[] {
  const pause = () => (random.chance(0.4) ? { afterMs: random.integer(1, 50) } : {})
  const words = random.integer(0, 12)
  const counts = random.chance(0.3)
  const script: Step[] = [{ does: 'start', ...pause() }]
  if (random.chance(0.5)) script.push({ does: 'role', ...pause() })
  for (let count = 1; count <= words; count++)
    script.push({ does: 'word', ...pause(), ...(counts && random.chance(0.6) ? { count } : {}) })
  script.push({ does: 'finish' })
  if (random.chance(0.75)) script.push({ does: 'count', count: words + random.integer(1, 3) })
  script.push({ does: 'done' }, { does: 'end' })
  if (random.chance(0.6)) return script
  const at = random.integer(0, script.length - 2)
  const breaks =
    at === 0 ? (['refuse', 'hang up', 'fall silent'] as const) : (['hang up', 'end', 'fall silent', 'garble', 'fail'] as const)
  return [...script.slice(0, at), { does: random.pick(breaks), afterMs: 15 }]
}

const ASKS: Record<string, (model: string, text: string) => [path: string, body: object]> = {
  chat: (model, content) => ['/v1/chat/completions', { model, messages: [{ role: 'user', content }], max_tokens: 50 }],
  response: (model, input) => ['/v1/responses', { model, input, max_output_tokens: 50 }],
  completion: (_, prompt) => ['/v1/completions', { model: 'fake/groq', prompt, max_tokens: 50 }],
}

/** Throws unless a request was charged for what became of it. */
function check(row: UsageRow, script: readonly Step[], continuesAfterDisconnect: boolean): void {
  const wordCount = script.filter(({ does }) => does === 'word').length
  const reportedTokens = script.findLast(({ does }) => does === 'count')?.count
  expect(row.charged).toBe(row.charged === 0n ? 0n : row.input * INPUT + row.output * OUTPUT)
  expect(row.charged).toBeLessThanOrEqual(row.hold)
  expect(row.output).toBeLessThanOrEqual(BigInt(reportedTokens ?? wordCount + 1))
  if (row.outcome === 'refused' || row.outcome === 'vendor_failed') expect(row.charged).toBe(0n)
  if (row.outcome === 'finished' && reportedTokens !== undefined) expect(row).toMatchObject(exactly(reportedTokens))
  if (row.outcome === 'cut') expect(row.output).toBeGreaterThan(0n)
  // Data in transit may be lost when a connection is reset.
  if (row.outcome === 'cut' && script.at(-1)?.does !== 'hang up') expect(row.output).toBe(BigInt(reportedTokens ?? wordCount))
  if (row.outcome !== 'client_gone' || !continuesAfterDisconnect) return
  if (row.status === 200 && reportedTokens !== undefined) expect(row).toMatchObject(exactly(reportedTokens))
  if (row.status === 499 && wordCount === 0) expect(row.charged).toBe(0n)
}

const exactly = (output: number) => ({ estimated: false, input: BigInt(PROMPT_TOKENS), output: BigInt(output) })

async function run(random: Random, name: string): Promise<void> {
  const script = randomScript(random)
  scripts.set(name, script)
  const model = random.pick(['fake/chat', 'fake/thinks'])
  const wire = random.pick(Object.keys(ASKS))
  const [path, body] = ASKS[wire]?.(model, name) ?? ['', {}]
  const isIdempotent = random.chance(0.4)
  const holder = await world.holder()
  const headers = headersOf(holder.secret, [
    ['connection', 'close'],
    ...(isIdempotent ? [['idempotency-key', name] as const] : []),
  ])
  const bytes = requestBytes({ path, headers, body: JSON.stringify({ ...body, stream: true }) })
  const connection = await RawConnection.open(world.url)
  connection.send(bytes)
  const disconnectAfterMs = random.chance(0.55) ? random.integer(0, 250) : null
  if (disconnectAfterMs === null) await connection.readUntilClosed()
  else await sleep(disconnectAfterMs)
  connection.destroy()

  const [row] = await world.records(holder.accountId, 1)
  if (!row) throw new Error('no record')
  if (disconnectAfterMs === null) expect(row.outcome).not.toBe('client_gone')
  check(row, script, isIdempotent || (model === 'fake/thinks' && wire !== 'completion'))
  if (isIdempotent) await repeat(bytes, name, row)
  await world.expectSettledBooks(holder, (await world.records(holder.accountId, 1)).length)
}

/** Sends a request again. One that was charged is not run again, one that was not charged is. */
async function repeat(bytes: Buffer, name: string, first: UsageRow): Promise<void> {
  const calls = () => world.vendor.calls.filter(({ body }) => JSON.stringify(body).includes(`${name}"`)).length
  const before = calls()
  scripts.set(name, [
    { does: 'start' },
    { does: 'word' },
    { does: 'finish' },
    { does: 'count', count: 1 },
    { does: 'done' },
    { does: 'end' },
  ])
  const resend = async () => {
    const answer = await world.send(bytes)
    // The key of the first request is released shortly after its record is written.
    return answer.text.includes('idempotency_in_progress') ? null : answer.status
  }
  const isReplayable = first.status === 200 || first.charged === 0n
  await expect.poll(resend, { timeout: 5000 }).toSatisfy((status) => status === (isReplayable ? 200 : 409))
  expect(calls()).toBe(first.charged > 0n ? before : before + 1)
}

test('whatever a vendor and a client do with a stream, it is charged once, by what became of it', {
  timeout: 120_000,
}, async () => {
  const seed = process.env.FUZZ_SEED ?? randomSeed()
  const names = Array.from({ length: CASES }, (_, at) => `case-${at}`)
  const left = names.values()
  const workers = Array.from({ length: CONCURRENCY }, async () => {
    for (const name of left)
      await run(new Random(`${seed}/${name}`), name).catch((cause: unknown) => {
        throw new Error(`seed ${seed}, ${name}`, { cause })
      })
  })
  await Promise.all(workers)
})
