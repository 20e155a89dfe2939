import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, BALANCE, openApiWorld, type UsageRow } from '../fakes/api-world.ts'
import { chatAnswer, chatChunk, sendJson, usageChunk, usageOf } from '../fakes/vendor.ts'
import { respondBytes, streamText } from '../fakes/vendor-faults.ts'
import { eventsOf, type RawAnswer } from '../support/raw-client.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const TEXT = 'one two three four five'
/** Counted with OpenAI's o200k encoding. */
const TEXT_TOKENS = 5n

interface ReportedUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  cost: number
}

interface RequestResult {
  answer: RawAnswer
  record: UsageRow
  /** The `usage` that the client got. */
  usage: ReportedUsage
}

/** Sends a whole and a streamed request that report this usage at the end, and returns how both ended. */
async function sendBothModes(
  usage: unknown,
  options: { body?: object; balance?: bigint; streamed?: object[] } = {},
): Promise<RequestResult[]> {
  const results: RequestResult[] = []
  for (const stream of [false, true]) {
    const holder = await world.holder({}, options.balance ?? BALANCE)
    const chunks = options.streamed ?? [chatChunk(TEXT), chatChunk(null, 'stop'), usageChunk(usage as object)]
    world.vendor.answer((call) =>
      stream ? respondBytes(streamText([...chunks, '[DONE]']))(call) : sendJson(call, { ...chatAnswer(TEXT, null), usage }),
    )
    const streamOptions = stream ? { stream, stream_options: { include_usage: true } } : {}
    const answer = await world.chat(holder.secret, { ...options.body, ...streamOptions })
    expect(answer.status, answer.text).toBe(200)
    const last = stream
      ? (JSON.parse(eventsOf(answer.body).at(-2) ?? '{}') as { usage: ReportedUsage })
      : (answer.json() as { usage: ReportedUsage })
    const record = await world.record(holder.accountId)
    await world.expectSettledBooks(holder, 1)
    results.push({ answer, record, usage: last.usage as ReportedUsage })
  }
  return results
}

describe('without a count of the vendor that makes sense, what went in and out is counted and marked', () => {
  const cases: [string, unknown][] = [
    ['no usage', undefined],
    ['null', null],
    ['an empty usage', {}],
    ['a list', [10, 5]],
    ['text', 'ten'],
    ['counts as text', { prompt_tokens: '10', completion_tokens: '5', total_tokens: '15' }],
    ['only one of the counts', { prompt_tokens: 10 }],
    ['a negative count', usageOf(10, -5)],
    ['a negative input', usageOf(-10, 5)],
    ['a fraction', usageOf(10, 1.5)],
    ['a count beyond all measure', usageOf(10, 1e15)],
    ['an input beyond all measure', usageOf(1e15, 5)],
    ['null counts', { prompt_tokens: null, completion_tokens: null }],
  ]
  test.each(cases)('%s', async (_, usage) => {
    for (const { record, usage: reportedUsage } of await sendBothModes(usage)) {
      expect(record).toMatchObject({ outcome: 'finished', estimated: true, output: TEXT_TOKENS })
      expect(record.why).toMatch(/no usage/)
      expect(record.input).toBeGreaterThan(5n)
      expect(record.input).toBeLessThan(60n)
      expect(record.charged).toBe(record.input * 2500n + TEXT_TOKENS * 10_000n)
      expect(reportedUsage.completion_tokens).toBe(Number(TEXT_TOKENS))
      expect(BigInt(Math.round(reportedUsage.cost * 1e9))).toBe(record.charged)
    }
  })
})

test('everything that was generated is counted: thoughts, refusals and calls too', async () => {
  const calls = [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }]
  for (const stream of [false, true])
    for (const messageFields of [{ reasoning_content: TEXT }, { refusal: TEXT }, { tool_calls: calls }]) {
      const holder = await world.holder()
      const choice = { index: 0, finish_reason: 'stop' }
      world.vendor.answer((call) =>
        stream
          ? respondBytes(streamText([{ ...chatChunk(null), choices: [{ ...choice, delta: messageFields }] }, '[DONE]']))(call)
          : sendJson(call, {
              ...chatAnswer('', null),
              choices: [{ ...choice, message: { role: 'assistant', content: null, ...messageFields } }],
            }),
      )
      expect((await world.chat(holder.secret, { stream })).status).toBe(200)
      const record = await world.record(holder.accountId)
      expect(record.estimated).toBe(true)
      expect(record.output).toBeGreaterThanOrEqual(TEXT_TOKENS)
      await world.expectSettledBooks(holder, 1)
    }
})

describe('a count of the vendor', () => {
  test('is charged to the nano-dollar, and told', async () => {
    const vendorUsage = usageOf(1000, 77, {
      prompt_tokens_details: { cached_tokens: 400 },
      completion_tokens_details: { reasoning_tokens: 70 },
    })
    for (const { record, usage } of await sendBothModes(vendorUsage)) {
      expect(record).toMatchObject({
        estimated: false,
        input: 1000n,
        cached: 400n,
        output: 77n,
        reasoning: 70n,
        charged: 2_770_000n,
      })
      expect(usage).toMatchObject({ prompt_tokens: 1000, completion_tokens: 77, total_tokens: 1077, cost: 0.00277 })
    }
  })

  test('with more cached than there was is cut to what there was, where that is all', async () => {
    for (const { record } of await sendBothModes(usageOf(10, 0, { prompt_tokens_details: { cached_tokens: 50 } })))
      expect(record).toMatchObject({ input: 10n, cached: 10n, charged: 12_500n })
  })

  test('with more cached than there was in all tells the two apart, as xAI does', async () => {
    const vendorUsage = { ...usageOf(10, 0, { prompt_tokens_details: { cached_tokens: 50 } }), total_tokens: 60 }
    for (const { record, usage } of await sendBothModes(vendorUsage)) {
      expect(record).toMatchObject({ input: 60n, cached: 50n, charged: 87_500n })
      expect(usage).toMatchObject({ prompt_tokens: 60, total_tokens: 60, prompt_tokens_details: { cached_tokens: 50 } })
    }
  })

  const streams: [string, object[]][] = [
    [
      'twice: the last one',
      [chatChunk(TEXT), usageChunk(usageOf(500, 500)), chatChunk(null, 'stop'), usageChunk(usageOf(10, 7))],
    ],
    [
      'with every chunk: the last one, and not the sum',
      [1, 2, 3, 4, 7].map((count) => chatChunk('x', count === 7 ? 'stop' : null, { usage: usageOf(10, count) })),
    ],
    ['with the last chunk of text', [chatChunk(TEXT, 'stop', { usage: usageOf(10, 7) })]],
    ['before the end', [usageChunk(usageOf(10, 7)), chatChunk(TEXT), chatChunk(null, 'stop')]],
    [
      'and then something absurd: the last one that makes sense',
      [chatChunk(TEXT, 'stop'), usageChunk(usageOf(10, 7)), usageChunk(usageOf(10, -1))],
    ],
  ]
  test.each(streams)('in a stream, %s', async (_, streamed) => {
    const [, streamedResult] = await sendBothModes(usageOf(10, 7), { streamed })
    expect(streamedResult?.record).toMatchObject({
      outcome: 'finished',
      estimated: false,
      input: 10n,
      output: 7n,
      charged: 95_000n,
    })
    expect(streamedResult?.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 7, total_tokens: 17, cost: 0.000095 })
    const chunks = eventsOf(streamedResult?.answer.body ?? '').slice(0, -1)
    expect(chunks.filter((data) => /"usage":\{/.test(data)).length, 'it is told once').toBe(1)
  })
})

test('is what the vendor bills, and stands though it is less than what came: told before all of it, or nothing', async () => {
  for (const [count, charged] of [[1, 35_000n] as const, [0, 25_000n] as const]) {
    const streamed = [chatChunk('', null, { usage: usageOf(10, count) }), chatChunk(TEXT), chatChunk(null, 'stop')]
    for (const { record, usage } of await sendBothModes(usageOf(10, count), { streamed })) {
      expect(record).toMatchObject({ outcome: 'finished', estimated: false, input: 10n, output: BigInt(count), charged })
      expect(usage).toMatchObject({ prompt_tokens: 10, completion_tokens: count })
    }
  }
})

describe('a vendor that takes more than the cap', () => {
  test('is paid from what is free, where there is enough', async () => {
    for (const { record } of await sendBothModes(usageOf(10, 5000), { body: { max_tokens: 10 } })) {
      expect(record.charged).toBe(50_025_000n)
      expect(record.charged).toBeGreaterThan(record.hold)
      expect(record.shortfall).toBe(0n)
    }
  })

  test('never takes the balance below zero: the rest is a shortfall that the house bears', async () => {
    for (const { record, answer } of await sendBothModes(usageOf(10, 5000), { body: { max_tokens: 10 }, balance: 10_000_000n })) {
      // The hold and what is free are charged. What this process has leased and does not hold stays for other requests.
      expect(record.outcome).toBe('finished')
      expect(record.charged + record.shortfall).toBe(50_025_000n)
      expect(record.charged).toBeGreaterThan(8_000_000n)
      expect(record.charged).toBeLessThanOrEqual(10_000_000n)
      expect(answer.header('x-tollgate-balance') ?? '0').toMatch(/^0(\.00\d+)?$/)
    }
    expect(world.gateway.log()).toContain('a vendor used more than its hold')
  })

  test('of another request under way takes nothing: its hold is safe', async () => {
    const holder = await world.holder({}, 10_000_000n)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    world.vendor.answer(async (call) => {
      const greedy = call.body.max_tokens === 10
      if (!greedy) await released
      sendJson(call, chatAnswer(TEXT, greedy ? usageOf(10, 5000) : usageOf(10, 400)))
    })
    const modest = world.chat(holder.secret, { max_tokens: 400 })
    await expect.poll(() => world.vendor.calls.at(-1)?.body.max_tokens).toBe(400)
    const greedy = await world.chat(holder.secret, { max_tokens: 10 })
    release()
    expect((await modest).status).toBe(200)
    expect(greedy.status).toBe(200)
    const rows = await world.records(holder.accountId, 2)
    const [modestRow, greedyRow] = [rows.find((row) => row.output === 400n), rows.find((row) => row.output === 5000n)]
    expect(modestRow).toMatchObject({ charged: 4_025_000n, shortfall: 0n })
    expect((greedyRow?.charged ?? 0n) + (greedyRow?.shortfall ?? 0n)).toBe(50_025_000n)
    expect((greedyRow?.charged ?? 0n) + 4_025_000n).toBeLessThanOrEqual(10_000_000n)
    await world.expectSettledBooks(holder, 2)
  })
})

test.each([
  ['a NUL', 'st\u0000op'],
  ['half a surrogate', 'st\ud800op'],
  ['no end', 'x'.repeat(100_000)],
])('a finish reason with %s does not keep a charge from being recorded', async (_, reason) => {
  for (const stream of [false, true]) {
    const holder = await world.holder()
    const fullAnswer = chatAnswer('x', usageOf(10, 5))
    const choices = fullAnswer.choices.map((choice) => ({ ...choice, finish_reason: reason }))
    world.vendor.answer((call) =>
      stream
        ? respondBytes(streamText([chatChunk('x', reason), usageChunk(usageOf(10, 5)), '[DONE]']))(call)
        : sendJson(call, { ...fullAnswer, choices }),
    )
    expect((await world.chat(holder.secret, { stream })).status).toBe(200)
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'finished', charged: 75_000n })
    await world.expectSettledBooks(holder, 1)
  }
})
