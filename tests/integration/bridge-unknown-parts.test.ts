import { describe, expect, test } from 'vitest'
import { ChatDeltas } from '#lib/wire/chat/deltas'
import { bridgedAsks, type Kind } from '../fakes/bridged-asks.ts'
import { sendEvents } from '../fakes/bridged-vendors.ts'
import { sendJson } from '../fakes/vendor.ts'

/** What vendors send that their packages do not know, or in another form: an answer has to arrive without it. */
const asks = bridgedAsks()

interface Shown {
  content: string
  reasoning: string
  calls: unknown[]
  finish: string | null
  usage: unknown
}

/** What a client is shown of an answer. Ids that were made up here are left out. */
async function shown(kind: Kind, stream: boolean, body: object = {}): Promise<Shown> {
  const answer = await asks.run(kind, body, { stream })
  if (answer.k !== 'parts') throw new Error(`status ${answer.status}`)
  const deltas = new ChatDeltas(answer.skills, 1)
  const read: Shown = { content: '', reasoning: '', calls: [], finish: null, usage: null }
  const calls: { id: string; name: string; args: string }[] = []
  for await (const part of answer.parts) {
    const delta = deltas.read(part)
    if (deltas.broken) throw deltas.broken
    if (!delta) continue
    const { content = '', reasoning_content = '', tool_calls = [] } = delta.delta as Record<string, never>
    read.content += content
    read.reasoning += reasoning_content
    // biome-ignore lint/suspicious/noExplicitAny: calls are read field by field
    for (const { index, id, function: called } of tool_calls as any[]) {
      calls[index] ??= { id, name: called.name, args: '' }
      ;(calls[index] as { args: string }).args += called.arguments
    }
    read.finish = delta.finishReason ?? read.finish
  }
  expect(deltas.done).toBe(true)
  read.calls = calls.map(({ id, name, args }) => [/^(toolu|known)_/.test(id) ? id : typeof id, name, JSON.parse(args)])
  read.usage = deltas.usage()
  return read
}

async function expectShown(kind: Kind, sent: { events: readonly object[] } | { whole: object }, expected: Partial<Shown>) {
  const stream = 'events' in sent
  asks.vendor.answer((call) => (stream ? sendEvents(call, sent.events) : sendJson(call, sent.whole)))
  expect(await shown(kind, stream)).toMatchObject(expected)
}

describe('Anthropic', () => {
  const FUTURE_USAGE = { input_tokens: 10, output_tokens: 5, iterations: [{ type: 'future', input_tokens: 1, output_tokens: 1 }] }
  const FUTURE = { type: 'future_block', payload: { deep: [1] } }
  const CITED = { type: 'text', text: 'cited', citations: [{ type: 'future_location', at: 1 }] }
  const CALL = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } }
  const EXPECTED = {
    content: 'begun and cited',
    calls: [['toolu_1', 'f', { a: 1 }]],
    finish: 'tool_calls',
    usage: expect.objectContaining({ output: 5n }),
  }

  test('a whole answer', async () => {
    const content = [FUTURE, { type: 'text', text: 'begun and ' }, CITED, CALL]
    const context_management = { applied_edits: [{ type: 'future' }] }
    const whole = { id: 'm', type: 'message', role: 'assistant', model: 'x', content, stop_reason: 'tool_use' }
    await expectShown('anthropic', { whole: { ...whole, usage: FUTURE_USAGE, context_management } }, EXPECTED)
  })

  test('a stream', async () => {
    const delta = (index: number, one: object) => ({ type: 'content_block_delta', index, delta: one })
    const begin = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
    const end = (index: number) => ({ type: 'content_block_stop', index })
    const head = { id: 'm', type: 'message', role: 'assistant', model: 'x', content: [] }
    const events = [
      { type: 'message_start', message: { ...head, usage: { input_tokens: 10, output_tokens: 1 } } },
      { type: 'future_event', anything: true },
      begin(0, FUTURE),
      delta(0, { type: 'text_delta', text: 'hidden' }),
      delta(0, { type: 'future_delta', bits: '01' }),
      end(0),
      begin(1, { type: 'text', text: 'begun' }),
      delta(1, { type: 'text_delta', text: ' and' }),
      delta(1, { type: 'citations_delta', citation: { type: 'future_location' } }),
      delta(1, { type: 'future_delta' }),
      delta(1, { type: 'text_delta', text: ' cited' }),
      end(1),
      // An index that was hidden once can be used again.
      begin(0, { ...CALL, input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '{"a":1}' }),
      end(0),
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use' },
        usage: FUTURE_USAGE,
        context_management: { applied_edits: [{}] },
      },
      { type: 'message_stop' },
    ]
    await expectShown('anthropic', { events }, EXPECTED)
  })

  test('a failure after a block that is still empty is a plain error', async () => {
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const head = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'x',
      content: [],
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    const opened = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
    asks.vendor.answer((call) => sendEvents(call, [{ type: 'message_start', message: head }, opened, overloaded]))
    expect(await asks.run('anthropic', {}, { stream: true })).toMatchObject({ k: 'wire', status: 503 })
  })
})

describe('Cohere', () => {
  const usage = { billed_units: { input_tokens: 10, output_tokens: 5 }, tokens: { input_tokens: 100, output_tokens: 6 } }
  const EXPECTED = { content: 'I will look.', calls: [['known_1', 'f', {}]], finish: 'tool_calls' }
  const call = (args: unknown) => ({ id: 'known_1', type: 'function', function: { name: 'f', arguments: args } })

  test('a whole answer', async () => {
    const content = [{ type: 'future', x: 1 }]
    const citations = [{ start: 0, end: 1, text: 'I', sources: [{ type: 'tool', id: 'x', tool_output: {} }] }]
    const message = { role: 'assistant', content, tool_plan: 'I will look.', tool_calls: [call(null)], citations }
    await expectShown('cohere', { whole: { id: 'c', message, finish_reason: 'TOOL_CALL', usage } }, EXPECTED)
  })

  test('a stream', async () => {
    const plan = (text: string) => ({ type: 'tool-plan-delta', delta: { message: { tool_plan: text } } })
    const events = [
      { type: 'message-start', id: 'c' },
      { type: 'debug', prompt: 'what was made of the request' },
      plan('I will '),
      plan('look.'),
      { type: 'tool-call-start', index: 0, delta: { message: { tool_calls: call(null) } } },
      { type: 'tool-call-end', index: 0 },
      { type: 'message-end', delta: { finish_reason: 'TOOL_CALL', usage } },
    ]
    await expectShown('cohere', { events }, EXPECTED)
  })

  test('what the model said before its calls goes back to it', async () => {
    const called = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: 'Hm.' },
      { role: 'user', content: 'y' },
      { role: 'assistant', content: 'I will look.', tool_calls: [called] },
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
    ]
    const { sent } = await asks.ask('cohere', { messages })
    expect((sent as { messages: object[] }).messages.filter((message) => 'tool_plan' in message)).toEqual([
      expect.objectContaining({ role: 'assistant', tool_plan: 'I will look.' }),
    ])
    expect((sent as { messages: object[] }).messages[3]).toHaveProperty('tool_plan')
  })
})

describe('Mistral', () => {
  const content = [
    {
      type: 'thinking',
      thinking: [
        { type: 'text', text: 'hm' },
        { type: 'tool_reference', tool: 'web' },
      ],
    },
    { type: 'tool_file', file_id: 'x' },
    { type: 'text', text: 'ok' },
  ]
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const calls = [{ function: { name: 'f', arguments: { a: 1 } } }, { id: 'known_1', function: { name: 'g', arguments: '' } }]
  const EXPECTED = {
    content: 'ok',
    reasoning: 'hm',
    calls: [
      ['string', 'f', { a: 1 }],
      ['known_1', 'g', {}],
    ],
    finish: 'tool_calls',
  }

  test('a whole answer', async () => {
    const choices = [{ index: 0, message: { role: 'assistant', content, tool_calls: calls }, finish_reason: 'tool_calls' }]
    await expectShown('mistral', { whole: { id: 'm', object: 'chat.completion', choices, usage } }, EXPECTED)
  })

  test('a stream', async () => {
    const event = (delta: object, finish_reason: string | null = null) => ({
      id: 'm',
      choices: [{ index: 0, delta, finish_reason }],
    })
    const events = [
      event({ role: 'assistant', content }),
      event({ tool_calls: calls.map((call, index) => ({ index, ...call })) }),
      { ...event({ content: '' }, 'tool_calls'), usage },
    ]
    await expectShown('mistral', { events }, EXPECTED)
  })
})

test("Google's errors in a list, as it sends them to streams, keep their meaning", async () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '17s' }]
  const error = { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED', details }
  asks.vendor.answer((call) => sendJson(call, [{ error }], 429))
  expect(await asks.run('google', {}, { stream: true })).toMatchObject({ status: 429, headers: { 'retry-after': '17' } })
})
