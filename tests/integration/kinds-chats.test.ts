import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { vendorKind } from '#lib/domain/vendor-kind-list'
import { type ApiWorld, expectError, type Holder, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { RECORDED_DIR, recordedExists } from '../fakes/bridged-vendors.ts'
import { baseUrlAt } from '../fakes/kinds/base-url.ts'
import { CHAT_ROWS } from '../fakes/kinds/chat-rows.ts'
import {
  ANSWER_CELLS,
  type ChatRow,
  type ExpectedAnswer,
  FAULTS,
  type Fault,
  isNone,
  isStream,
  type Recorded,
  SECRET,
  type Used,
  type Written,
} from '../fakes/kinds/row.ts'
import { operatorTextsOf, respondFault, respondWithBytes } from '../fakes/kinds/send.ts'
import { addModel } from '../support/fixtures.ts'
import { eventsOf, type RawAnswer } from '../support/raw-client.ts'
import { referenceRequired } from '../support/reference.ts'

/** Nano-dollars per million tokens: $1 for input, and so on. */
const UNITS = { input: '1000000000', cached_input: '100000000', cache_write: '1250000000', output: '5000000000' }

const costOf = ({ prompt, completion, cached = 0, cacheWrite = 0 }: Used): bigint =>
  BigInt((prompt - cached - cacheWrite) * 1000 + cached * 100 + cacheWrite * 1250 + completion * 5000)

const ROWS = Object.entries(CHAT_ROWS).filter(([kind]) => kind !== 'sandbox')
// The recorded vendors use only the names of tools here.
const TOOLS = (names: readonly string[]) => ({
  tools: names.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } })),
})

// biome-ignore lint/suspicious/noExplicitAny: answers are read field by field
type Json = any

let world: ApiWorld

beforeAll(async () => {
  // Each row fails more often than it answers.
  world = await openApiWorld({ BREAKER_FAILURES: '0' })
  const origin = new URL(world.vendor.url).origin
  for (const [kind, { upstreamModel }] of ROWS) {
    const known = vendorKind(kind)
    if (!known) throw new Error(`no kind ${kind}`)
    await addModel(world.pool, {
      id: `kinds/${kind}`,
      kind,
      upstreamModel,
      baseUrl: baseUrlAt(origin, known),
      units: UNITS,
      secret: SECRET,
    })
  }
  await untilModelKnown(world, `kinds/${ROWS.at(-1)?.[0]}`)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const nameOf = (bytes: Recorded | Written): string =>
  'recorded' in bytes ? bytes.recorded : `written after ${bytes.source}, ${isStream(bytes) ? 'streamed' : 'whole'}`

/** Every answer of a row once, with the cells that it fills. */
function answersOf(row: ChatRow): [string, ExpectedAnswer][] {
  const found = new Map<ExpectedAnswer, string[]>()
  for (const name of ANSWER_CELLS) {
    const cell = row[name]
    if (isNone(cell)) continue
    for (const answered of cell) found.set(answered, [...(found.get(answered) ?? []), name])
  }
  return [...found].map(([answered, cells]) => [`${cells.join(', ')}: ${nameOf(answered.bytes)}`, answered])
}

interface ChatResult {
  holder: Holder
  answer: RawAnswer
}

async function ask(kind: string, stream: boolean, more: object = {}): Promise<ChatResult> {
  const holder = await world.holder()
  const body = { model: `kinds/${kind}`, ...(stream ? { stream, stream_options: { include_usage: true } } : {}), ...more }
  return { holder, answer: await world.chat(holder.secret, body) }
}

/** What an answer says and calls, put together as a client does. */
function readBack({ answer, stream }: { answer: RawAnswer; stream: boolean }) {
  if (!stream) {
    const body: Json = answer.json()
    const [{ message, finish_reason: finish }] = body.choices
    const calls = (message.tool_calls ?? []).map((call: Json) => [call.function.name, call.function.arguments])
    return { says: message.content ?? '', calls, finish, usages: [body.usage], models: [body.model] }
  }
  const events = eventsOf(answer.body)
  expect(events.at(-1)).toBe('[DONE]')
  const chunks: Json[] = events.slice(0, -1).map((data) => JSON.parse(data))
  const calls: [string, string][] = []
  let says = ''
  let finish: string | null = null
  for (const { delta, finish_reason } of chunks.flatMap((chunk) => chunk.choices)) {
    says += delta?.content ?? ''
    finish = finish_reason ?? finish
    for (const { index, function: body } of delta?.tool_calls ?? []) {
      const [name, args] = calls[index] ?? ['', '']
      calls[index] = [name || (body.name ?? ''), args + (body.arguments ?? '')]
    }
  }
  const usages = chunks.flatMap(({ usage }) => (usage == null ? [] : [usage]))
  return { says, calls, finish, usages, models: chunks.map(({ model }) => model) }
}

test('the recorded answers are there, where they have to be', () => {
  expect(recordedExists || !referenceRequired, RECORDED_DIR).toBe(true)
})

describe.each(ROWS)('%s', (kind, row) => {
  describe('answers', () => {
    test.for(answersOf(row))('%s', async ([, { bytes, used, finish, says, calls = [] }], { skip }) => {
      // Without the folder beside the project. A test above fails if the folder has to be there.
      if ('recorded' in bytes && !recordedExists) skip('no ../shared/reference')
      const stream = isStream(bytes)
      const before = world.vendor.calls.length
      world.vendor.answer(respondWithBytes(bytes, row.framing))
      const { holder, answer } = await ask(kind, stream, calls.length > 0 ? TOOLS(calls.map(([name]) => name)) : {})
      expect(answer.status, answer.text).toBe(200)

      // Some vendors are asked for the balance of the operator's account at any time, so only POSTs count.
      const [call, ...more] = world.vendor.calls.slice(before).filter(({ request }) => request.method === 'POST')
      expect(more).toEqual([])
      expect(call?.path).toBe(stream ? (row.streamPath ?? row.path) : row.path)
      expect(call?.headers[row.credential[0]]).toBe(row.credential[1])

      const parsed = readBack({ answer, stream })
      expect(parsed.says).toMatch(says ?? /^$/)
      expect(parsed.calls).toEqual(calls)
      expect(parsed.finish).toBe(finish)
      expect(new Set(parsed.models)).toEqual(new Set([`kinds/${kind}`]))

      const { prompt, completion, cached = 0, cacheWrite = 0, reasoning = 0 } = used
      const charged = costOf(used)
      expect(parsed.usages).toHaveLength(1)
      expect(parsed.usages[0]).toMatchObject({
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
        prompt_tokens_details: { cached_tokens: cached, ...(cacheWrite > 0 ? { cache_write_tokens: cacheWrite } : {}) },
        completion_tokens_details: { reasoning_tokens: reasoning },
        cost: Number(charged) / 1e9,
      })
      // What the vendor charges the gateway is not shown to the client.
      expect(Object.keys(parsed.usages[0]).filter((name) => /cost|byok/.test(name))).toEqual(['cost'])
      expect(await world.record(holder.accountId)).toMatchObject({
        outcome: 'finished',
        estimated: false,
        charged,
        cached: BigInt(cached),
        output: BigInt(completion),
        reasoning: BigInt(reasoning),
        finishReason: finish,
      })
      world.expectNoLeaks(answer)
      await world.expectSettledBooks(holder, 1)
    })
  })

  const faults = FAULTS.flatMap((name): [string, Fault][] => {
    const cell = row.faults[name]
    if (isNone(cell)) return []
    return [cell].flat().map((fault) => [`${name}: ${fault.status} ${JSON.stringify(fault.body).slice(0, 80)}`, fault])
  })

  test.for(faults)('error, %s', async ([, fault]) => {
    for (const stream of [false, true]) {
      world.vendor.answer(respondFault(fault))
      const { holder, answer } = await ask(kind, stream)
      const expectedMessage = fault.says ?? /^The model's vendor [a-z ]+\. Try again in a moment\.$/
      const code = fault.code === undefined ? {} : { code: fault.code }
      expectError(answer, { condition: fault.is, param: fault.param ?? null, message: expectedMessage, ...code })
      expect(answer.header('retry-after')).toBe(fault.retryAfter ?? null)
      if (fault.says === undefined)
        for (const operatorText of operatorTextsOf(fault.body)) expect(answer.text).not.toContain(operatorText)
      world.expectNoLeaks(answer)
      expect(answer.text).not.toContain(SECRET)
      expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'vendor_failed', charged: 0n })
      await world.expectSettledBooks(holder, 1)
    }
  })

  const { brokenStream } = row
  test.skipIf(isNone(brokenStream))('error in a stream that has begun', async () => {
    if (isNone(brokenStream)) return
    world.vendor.answer(respondWithBytes(brokenStream, row.framing))
    const { holder, answer } = await ask(kind, true)
    expect(answer.status).toBe(200)
    const events = eventsOf(answer.body).map((data) => JSON.parse(data))
    expect(events.at(-1)).toMatchObject({ error: { type: 'server_error', code: 'server_error' } })
    for (const operatorText of operatorTextsOf(brokenStream.written).filter((text) => text.includes(' '))) {
      const isQuoted = events.slice(0, -1).some((event: Json) => event.choices?.[0]?.delta?.content?.includes(operatorText))
      if (!isQuoted) expect(answer.text).not.toContain(operatorText)
    }
    // What was said is charged, as far as it can be counted here.
    const record = await world.record(holder.accountId)
    expect(record.outcome).not.toBe('finished')
    expect(record.estimated).toBe(true)
    await world.expectSettledBooks(holder, 1)
  })
})
