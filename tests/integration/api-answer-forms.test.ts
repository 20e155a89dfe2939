import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, headersOf, openApiWorld, UPSTREAM_MODEL, untilModelKnown, VENDOR_SECRET } from '../fakes/api-world.ts'
import { sendDocumented } from '../fakes/send-documented.ts'
import { chatChunk, sendJson, usageChunk, usageOf } from '../fakes/vendor.ts'
import { respondBytes, streamText } from '../fakes/vendor-faults.ts'
import { addModel } from '../support/fixtures.ts'
import { eventsOf } from '../support/raw-client.ts'

/** Answers in forms that OpenAI does not send, and its clients do not read. */
let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  const upstream = { baseUrl: world.vendor.url, upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET }
  await addModel(world.pool, { id: 'fake/instruct', modality: 'completion', contextWindow: 4096, maxOutput: 4096, ...upstream })
  await untilModelKnown(world, 'fake/instruct')
})
afterAll(() => world?.[Symbol.asyncDispose]())

const PARTS = [
  { type: 'thinking', thinking: [{ type: 'text', text: 'Two and two.' }] },
  { type: 'text', text: 'Four' },
]
const CALL = { function: { name: 'add', arguments: { a: 2, b: 2 } } }

/** Has the vendor send this message, streamed if it is asked for a stream. */
function respondMessage(message: object, finish: string): void {
  const head = { id: 'chatcmpl-fake', created: 1, model: 'upstream-model' }
  world.vendor.answer((call) => {
    if (!call.body.stream)
      return sendJson(call, {
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
        usage: usageOf(10, 5),
      })
    const chunks = [message, {}].map((delta, at) => ({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: at === 1 ? finish : null }],
    }))
    return respondBytes(streamText([...chunks, usageChunk(usageOf(10, 5)), '[DONE]']))(call)
  })
}

async function send(path: string, body: object) {
  const holder = await world.holder()
  const answer = await sendDocumented(world.gateway.url, {
    path,
    headers: headersOf(holder.secret),
    body: JSON.stringify({ model: 'fake/chat', ...body }),
  })
  expect(answer.status, answer.text).toBe(200)
  expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'finished', output: 5n })
  return answer
}

const CHAT = { messages: [{ role: 'user', content: 'Two and two?' }] }

describe('content that is a list of parts', () => {
  test('is text in a chat, and its thoughts are the reasoning', async () => {
    respondMessage({ content: PARTS }, 'stop')
    const { choices } = (await send('/v1/chat/completions', CHAT)).json() as { choices: object[] }
    expect(choices).toMatchObject([{ message: { content: 'Four', reasoning_content: 'Two and two.' } }])
  })

  test('is text in a stream', async () => {
    respondMessage({ content: PARTS }, 'stop')
    const events = eventsOf((await send('/v1/chat/completions', { ...CHAT, stream: true })).body)
    const delta = { role: 'assistant', content: 'Four', reasoning_content: 'Two and two.' }
    expect(JSON.parse(events[0] ?? '')).toMatchObject({ choices: [{ delta }] })
  })

  test.each([false, true])('is text in a response, streamed: %s', async (stream) => {
    respondMessage({ content: PARTS }, 'stop')
    const answer = await send('/v1/responses', { input: 'Two and two?', stream })
    const text = stream ? eventsOf(answer.body).join('\n') : answer.text
    expect(text).toContain('"text":"Four"')
    expect(text).toContain('Two and two.')
  })

  test.each([false, true])('is text in a completion, streamed: %s', async (stream) => {
    respondMessage({ content: PARTS }, 'stop')
    expect((await send('/v1/completions', { prompt: 'Two and two?', stream })).body.toString()).toContain('"text":"Four"')
  })
})

describe.each([
  [42, '42'],
  [{ sum: 4 }, '{"sum":4}'],
  [{ type: 'text', text: 'Four' }, 'Four'],
])('content that is %j', (content, text) => {
  test.each([false, true])('is text in a chat, a response and a completion, streamed: %s', async (stream) => {
    respondMessage({ content }, 'stop')
    const { body } = await send('/v1/chat/completions', { ...CHAT, stream })
    const [choice] = JSON.parse(stream ? (eventsOf(body)[0] ?? '') : body.toString()).choices
    expect(choice[stream ? 'delta' : 'message']).toEqual({ role: 'assistant', content: text })
    const written = `"text":${JSON.stringify(text)}`
    expect((await send('/v1/responses', { input: 'Two and two?', stream })).body.toString()).toContain(written)
    expect((await send('/v1/completions', { prompt: 'Two and two?', stream })).body.toString()).toContain(written)
  })
})

describe('a head that clients cannot read', () => {
  const heads: [string, object][] = [
    ['is missing', {}],
    ['is null', { id: null, created: null }],
    ['has a number for an id and a date for a time', { id: 17, created: '2026-11-28T09:00:00Z' }],
    ['has numbers that were rounded', { id: 2 ** 60, created: 2 ** 60 }],
  ]
  /** Sends the choices under a head, streamed if a stream is asked for. */
  const respond = (object: string, choices: object[], head: object): void =>
    world.vendor.answer((call) => {
      const answer = { ...head, object, model: 'upstream-model', choices, usage: usageOf(10, 5) }
      if (!call.body.stream) return sendJson(call, answer)
      const words = choices.map((choice) => ({ ...head, object, model: 'upstream-model', choices: [choice] }))
      return respondBytes(streamText([...words, { ...answer, choices: [] }, '[DONE]']))(call)
    })
  const readBack = (body: Buffer, stream: boolean): { id: string; created: number }[] =>
    (stream ? eventsOf(body).slice(0, -1) : [body.toString()]).map((text) => JSON.parse(text))

  test.each(heads.flatMap((row) => [false, true].map((stream) => [...row, stream] as const)))(
    'and %s is made here, streamed: %3$s',
    async (_, head, stream) => {
      const usage = stream ? { stream_options: { include_usage: true } } : {}
      const now = Math.floor(Date.now() / 1000)
      const said = stream ? { delta: { content: 'Four' } } : { message: { role: 'assistant', content: 'Four' } }
      respond('chat.completion', [{ index: 0, ...said, finish_reason: 'stop' }], head)
      const chat = await send('/v1/chat/completions', { ...CHAT, stream, ...usage })
      respond('text_completion', [{ index: 0, text: 'Four', logprobs: null, finish_reason: 'stop' }], head)
      const completion = await send('/v1/completions', { model: 'fake/instruct', prompt: 'Two and two?', stream, ...usage })
      for (const [{ body }, id] of [
        [chat, /^chatcmpl-[0-9a-z]{26}$/],
        [completion, /^cmpl-[0-9a-z]{26}$/],
      ] as const) {
        const answers = readBack(body, stream)
        expect(new Set(answers.map((answer) => answer.id)).size).toBe(1)
        for (const answer of answers) {
          expect(answer.id).toMatch(id)
          expect(answer.created).toBeGreaterThanOrEqual(now)
          expect(answer.created).toBeLessThan(now + 60)
        }
      }
    },
  )
})

test.each([undefined, null, 'model'])('a message of the role %s can be sent back', async (role) => {
  respondMessage({ role, content: 'Four' }, 'stop')
  const { choices } = (await send('/v1/chat/completions', CHAT)).json() as { choices: { message: object }[] }
  expect(choices).toMatchObject([{ message: { role: 'assistant', content: 'Four' } }])
  await send('/v1/chat/completions', { messages: [...CHAT.messages, choices[0]?.message, ...CHAT.messages] })
})

describe('a call without an id and a type, whose arguments are an object', () => {
  const call = { id: expect.stringMatching(/^call_/), type: 'function', function: { name: 'add', arguments: '{"a":2,"b":2}' } }

  test('is one that clients can read', async () => {
    respondMessage({ content: null, tool_calls: [CALL] }, 'tool_calls')
    const { choices } = (await send('/v1/chat/completions', CHAT)).json() as { choices: object[] }
    expect(choices).toMatchObject([{ message: { tool_calls: [call] }, finish_reason: 'tool_calls' }])
  })

  test('is one in a stream too', async () => {
    respondMessage({ content: null, tool_calls: [CALL] }, 'tool_calls')
    const events = eventsOf((await send('/v1/chat/completions', { ...CHAT, stream: true })).body)
    expect(JSON.parse(events[0] ?? '')).toMatchObject({ choices: [{ delta: { tool_calls: [{ index: 0, ...call }] } }] })
  })

  test.each([false, true])('has its arguments in a response, streamed: %s', async (stream) => {
    respondMessage({ content: null, tool_calls: [CALL] }, 'tool_calls')
    const answer = await send('/v1/responses', { input: 'Two and two?', stream })
    const text = stream ? eventsOf(answer.body).join('\n') : answer.text
    expect(text).toContain(String.raw`"arguments":"{\"a\":2,\"b\":2}"`)
  })
})

describe('a reason to finish with every chunk, as servers in front of Gemini send it', () => {
  const respond = () =>
    world.vendor.answer(
      respondBytes(
        streamText([
          chatChunk('Hello ', 'stop'),
          chatChunk('world', 'stop'),
          chatChunk(null, 'stop'),
          usageChunk(usageOf(10, 5)),
          '[DONE]',
        ]),
      ),
    )

  test('does not end a response', async () => {
    respond()
    const events = eventsOf((await send('/v1/responses', { input: 'Hello?', stream: true })).body)
    const last = events.find((data) => data.includes('"type":"response.completed"'))
    expect(last).toContain('"text":"Hello world"')
  })

  test('does not end a completion', async () => {
    respond()
    const events = eventsOf((await send('/v1/completions', { prompt: 'Hello?', stream: true })).body)
    const choices = events.slice(0, -1).flatMap((data) => (JSON.parse(data) as { choices: { text: string }[] }).choices)
    expect(choices.map(({ text }) => text)).toEqual(['Hello ', 'world'])
  })
})

describe('a whole answer to a request for a stream', () => {
  const message = { role: 'assistant', content: 'Hello world', tool_calls: [CALL, CALL] }
  const whole = {
    ...{ id: 'chatcmpl-fake', object: 'chat.completion', created: 1, model: 'upstream-model' },
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    usage: usageOf(10, 5),
  }
  /** Written in lines, as some servers write it, and after a byte order mark. */
  const respond = (type = 'application/json') =>
    world.vendor.answer(respondBytes(Buffer.from(`\ufeff${JSON.stringify(whole, null, 2)}`), undefined, type))

  test.each(['application/json', 'text/event-stream'])('is the chunks of a chat, as %s', async (type) => {
    respond(type)
    const body = { ...CHAT, stream: true, stream_options: { include_usage: true } }
    const events = eventsOf((await send('/v1/chat/completions', body)).body)
    expect(events.at(-1)).toBe('[DONE]')
    const [chunk, usage] = events.slice(0, -1).map((event) => JSON.parse(event))
    expect(chunk).toMatchObject({
      object: 'chat.completion.chunk',
      model: 'fake/chat',
      choices: [{ delta: { content: 'Hello world', tool_calls: [{ index: 0 }, { index: 1 }] }, finish_reason: 'tool_calls' }],
    })
    expect(usage).toMatchObject({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } })
  })

  test.each(['application/json', 'text/event-stream'])('is a response and a completion too, as %s', async (type) => {
    respond(type)
    const response = eventsOf((await send('/v1/responses', { input: 'Hello?', stream: true })).body).join('\n')
    expect(response).toContain('"type":"response.completed"')
    expect(response).toContain('"text":"Hello world"')
    const completion = eventsOf((await send('/v1/completions', { prompt: 'Hello?', stream: true })).body).join('\n')
    expect(completion).toContain('"text":"Hello world"')
  })

  test.each(['application/json', 'text/event-stream'])('that is an error is one, and costs nothing, as %s', async (type) => {
    world.vendor.answer(respondBytes(Buffer.from('{"error":{"code":400,"message":"no such thing"}}'), undefined, type))
    const holder = await world.holder()
    const { status, text } = await sendDocumented(world.gateway.url, {
      path: '/v1/chat/completions',
      headers: headersOf(holder.secret),
      body: JSON.stringify({ model: 'fake/chat', ...CHAT, stream: true }),
    })
    expect([status, text]).toEqual([400, expect.stringContaining('no such thing')])
    expect(await world.record(holder.accountId)).toMatchObject({ charged: 0n })
  })
})

describe('a stream', () => {
  test('with events that say nothing goes on', async () => {
    const events = streamText([chatChunk('Hello'), chatChunk(null, 'stop'), usageChunk(usageOf(10, 5)), '[DONE]'])
    world.vendor.answer(respondBytes(`data:\n\ndata: null\n\n${events.replaceAll('\n\n', '\n\ndata: \n\n')}`))
    expect((await send('/v1/chat/completions', { ...CHAT, stream: true })).text).toContain('"content":"Hello"')
  })

  test('that ends without a reason gets one', async () => {
    world.vendor.answer(respondBytes(streamText([chatChunk('Hello'), usageChunk(usageOf(10, 5)), '[DONE]'])))
    const events = eventsOf((await send('/v1/chat/completions', { ...CHAT, stream: true })).body)
    expect(JSON.parse(events.at(-2) ?? '')).toMatchObject({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  })

  test('that reports its input first and its output last is charged for both', async () => {
    const chunks = [usageChunk(usageOf(10, 0)), chatChunk('Hello'), chatChunk(null, 'stop'), usageChunk(usageOf(0, 5)), '[DONE]']
    world.vendor.answer(respondBytes(streamText(chunks)))
    const holder = await world.holder()
    const body = JSON.stringify({ model: 'fake/chat', ...CHAT, stream: true })
    await sendDocumented(world.gateway.url, { path: '/v1/chat/completions', headers: headersOf(holder.secret), body })
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'finished', input: 10n, output: 5n })
  })
})

test('two calls with one id have two', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } }
  respondMessage({ content: null, tool_calls: [call, call] }, 'tool_calls')
  const { choices } = (await send('/v1/chat/completions', CHAT)).json() as {
    choices: { message: { tool_calls: { id: string }[] } }[]
  }
  const ids = choices[0]?.message.tool_calls.map(({ id }) => id) ?? []
  expect([ids[0], new Set(ids).size]).toEqual(['call_1', 2])
})
