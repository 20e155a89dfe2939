import { Readable } from 'node:stream'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { createSandbox } from '../sandbox.ts'
import {
  answerTextTo,
  answerTo,
  callContent,
  callOf,
  forward,
  newsTool,
  payloadsOf,
  rawAnswerTo,
  textOf,
  userBody,
  weatherTool,
} from './testing.ts'
import { countTokens, splitTokens } from './tokens.ts'

/** The official client in front of the sandbox, so that the tests see what users see. */
const client = (cap: number) =>
  new OpenAI({
    apiKey: 'none',
    maxRetries: 0,
    fetch: async (_, init) => {
      const body = JSON.parse(String(init?.body))
      const { status, headers, body: parts } = await forward(callOf(body, { cap }))
      return new Response(Readable.toWeb(Readable.from(parts)) as ReadableStream, { status, headers })
    },
  })

const anyBody = fc.record(
  {
    messages: fc.array(
      fc.oneof(
        fc.record({ role: fc.constant('user'), content: fc.oneof(fc.lorem({ maxCount: 60 }), fc.string({ unit: 'grapheme' })) }),
        fc.record({ role: fc.constant('system'), content: fc.constantFrom('Be kind.', 'reply exactly: 你好, a  b 🎉') }),
        fc.constant({ role: 'tool', content: '{"degrees":21}', tool_call_id: 'call_1' }),
      ),
      { minLength: 1, maxLength: 4 },
    ),
    n: fc.integer({ min: 1, max: 4 }),
    stop: fc.constantFrom<unknown>('sandbox', ['said', 'vendor'], []),
    tools: fc.constantFrom([weatherTool], [weatherTool, newsTool], []),
    tool_choice: fc.constantFrom('auto', 'none', 'required'),
    response_format: fc.constantFrom({ type: 'text' }, { type: 'json_object' }),
    logprobs: fc.boolean(),
    top_logprobs: fc.constantFrom(0, 2),
  },
  { requiredKeys: ['messages'] },
)

describe('an answer', () => {
  it('has the shape of the vendor and says what it is', async () => {
    const answer = await answerTo(userBody('What is the capital of France?'))
    expect(answer).toMatchObject({ object: 'chat.completion', created: 1_800_000_000, model: 'sandbox/chat' })
    expect(answer.id).toMatch(/^chatcmpl-[0-9A-Za-z]{29}$/)
    expect(answer.choices).toHaveLength(1)
    expect(answer.choices[0]).toMatchObject({
      index: 0,
      finish_reason: 'stop',
      logprobs: null,
      message: { role: 'assistant', refusal: null },
    })
    const said = answer.choices[0]?.message.content ?? ''
    expect(said).toContain('Tollgate sandbox, a simulated model; no vendor was called.')
    expect(said).toContain('You said: "What is the capital of France?".')
    expect(answer.usage).toMatchObject({ completion_tokens: countTokens(said), prompt_tokens_details: { cached_tokens: 0 } })
    expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBe(0)
  })

  it('has 20 to 120 tokens, whatever was said', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.lorem({ maxCount: 300 }), fc.string({ unit: 'binary', maxLength: 300 })), async (text) => {
        const tokens = (await answerTo(userBody(text))).usage?.completion_tokens ?? 0
        expect(tokens).toBeGreaterThanOrEqual(20)
        expect(tokens).toBeLessThanOrEqual(120)
      }),
    )
  })

  it('is the same to the byte for the same request, whoever asks', async () => {
    await fc.assert(
      fc.asyncProperty(anyBody, fc.boolean(), async (body, stream) => {
        const first = await rawAnswerTo({ ...body, stream, user: 'a' })
        expect(await rawAnswerTo({ ...body, stream, user: 'b', metadata: { a: 'b' } })).toBe(first)
      }),
    )
    expect(await rawAnswerTo(userBody('a'))).not.toBe(await rawAnswerTo({ ...userBody('a'), seed: 1 }))
  })

  it('has ids of its own, however often the same is asked, and the same content', async () => {
    const vendor = createSandbox({ now: () => 0, pace: 0 }).forward['openai.chat']
    const ask = async (stream: boolean) => {
      const answer = await vendor?.(callOf({ ...userBody('Use get_weather for Oslo'), tools: [weatherTool], stream }))
      if (!answer) throw new Error('the sandbox speaks openai.chat')
      return { requestId: answer.headers['x-request-id'], text: await textOf(answer) }
    }
    for (const stream of [false, true]) {
      const answers = [await ask(stream), await ask(stream)]
      const idsOf = (text: string) => [...new Set(text.match(/(chatcmpl-|call_)[0-9A-Za-z]{20,}/g))]
      const ids = answers.flatMap(({ requestId, text }) => [requestId, ...idsOf(text)])
      expect(ids).toHaveLength(6)
      expect(new Set(ids).size).toBe(6)
      const [first, second] = answers.map(({ text }) => idsOf(text).reduce((rest, id) => rest.replaceAll(id, 'id'), text))
      expect(second).toBe(first)
    }
  })

  it('says the same whole and in a stream, as the official client reads it, within its caps', async () => {
    await fc.assert(
      fc.asyncProperty(anyBody, fc.integer({ min: 1, max: 60 }), async (body, cap) => {
        const answer = await answerTo(body, { cap })
        const stream = client(cap).chat.completions.stream({ ...body, model: 'sandbox/chat' } as never)
        expect(foldOf(await stream.finalChatCompletion())).toEqual(foldOf(answer))
        expect(answer.usage?.completion_tokens).toBeLessThanOrEqual(cap * (body.n ?? 1))
      }),
    )
  })
})

function foldOf({ id, created, model, choices, usage }: OpenAI.Chat.ChatCompletion): unknown {
  const ofChoice = ({ index, message, logprobs, finish_reason }: OpenAI.Chat.ChatCompletion.Choice) => ({
    index,
    content: message.content ?? '',
    calls: (message.tool_calls ?? []).map((call) => ({
      ...call,
      parsed: undefined,
      index: undefined,
      function: callContent(call),
    })),
    logprobs: logprobs?.content ?? [],
    finish_reason,
  })
  return { id, created, model, usage, choices: choices.map(ofChoice) }
}
describe('a stream', () => {
  it('takes its time, a token at a time, and ends with the usage and [DONE]', async () => {
    const slept: number[] = []
    const sleep = async (ms: number) => void slept.push(ms)
    const answer = await forward(callOf({ ...userBody('Hello'), stream: true }), { sleep, pace: 1 })
    expect(answer.headers['content-type']).toContain('text/event-stream')
    const payloads = payloadsOf(await textOf(answer))
    expect(payloads.at(-1)).toBe('[DONE]')
    const chunks = payloads.slice(0, -1).map((payload) => JSON.parse(payload) as OpenAI.Chat.ChatCompletionChunk)
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '', refusal: null })
    expect(chunks.at(-2)?.choices[0]).toEqual({ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' })
    expect(chunks.at(-1)?.choices).toEqual([])
    const { completion_tokens: tokens = 0 } = chunks.at(-1)?.usage ?? {}
    expect(chunks).toHaveLength(tokens + 3)
    expect(slept).toEqual(
      Array(tokens + 1)
        .fill(12)
        .slice(1),
    )
  })

  it('lets the choices take turns', async () => {
    const payloads = payloadsOf(await rawAnswerTo({ ...userBody('Hello'), stream: true, n: 3 }))
    const turns = payloads.slice(0, 12).map((payload) => JSON.parse(payload).choices[0].index)
    expect(turns).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2])
  })
})

describe('what a request asks of the text', () => {
  it('cuts at the cap, exactly, and says so', async () => {
    const full = await answerTextTo(userBody('Hello'))
    const cut = await answerTo(userBody('Hello'), { cap: 7 })
    expect(cut.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: splitTokens(full, 7).join('') } })
    expect(cut.usage?.completion_tokens).toBe(7)
    const exact = await answerTo(userBody('Hello'), { cap: countTokens(full) })
    expect(exact.choices[0]?.finish_reason).toBe('stop')
  })

  it.each([['vendor'], [['no such thing', 'vendor']]])('stops before %j', async (stop) => {
    const { choices } = await answerTo({ ...userBody('Hello'), stop })
    expect(choices[0]?.finish_reason).toBe('stop')
    expect(choices[0]?.message.content).toMatch(/; no $/)
  })

  it('gives choices that differ', async () => {
    const { choices } = await answerTo({ ...userBody('Hello'), n: 16 })
    expect(new Set(choices.map(({ message }) => message.content)).size).toBe(16)
  })

  it.each(['system', 'developer'])('repeats what a %s prompt dictates', async (role) => {
    const messages = [
      { role, content: 'You are a test.\nReply exactly:  pong! \nBe brief.' },
      { role: 'user', content: 'Hello' },
    ]
    expect(await answerTextTo({ messages, tools: [weatherTool], tool_choice: 'required' })).toBe('pong!')
  })

  it.each<[string, unknown, string]>([
    [
      'an image',
      { type: 'image_url', image_url: { url: `data:image/png;base64,${Buffer.alloc(68).toString('base64')}` } },
      'I received 1 image (image/png, 68 bytes).',
    ],
    ['an address', { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }, 'I received 1 image (by address).'],
    ['sound', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, 'I received 1 audio clip (wav, 3 bytes).'],
    [
      'a file',
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AAA=', filename: 'a.pdf' } },
      'I received 1 file (a.pdf, application/pdf, 2 bytes).',
    ],
  ])('acknowledges %s', async (_, part, sentence) => {
    expect(await answerTextTo(userBody([{ type: 'text', text: 'Look' }, part]))).toContain(`${sentence} You said: "Look".`)
  })

  it('gives log probabilities only when asked', async () => {
    const { choices } = await answerTo({ ...userBody('Hello'), logprobs: true, top_logprobs: 2 })
    const entries = choices[0]?.logprobs?.content ?? []
    expect(entries.map(({ token }) => token).join('')).toBe(choices[0]?.message.content)
    for (const { logprob, top_logprobs: top } of entries) {
      expect(logprob).toBeLessThanOrEqual(0)
      expect(top).toHaveLength(2)
    }
  })

  it('answers with JSON where JSON is asked for', async () => {
    expect(JSON.parse(await answerTextTo({ ...userBody('Hello'), response_format: { type: 'json_object' } }))).toMatchObject({
      simulated: true,
      you_said: 'Hello',
    })
    const schema = weatherTool.function.parameters
    const format = { type: 'json_schema', json_schema: { name: 'weather', schema } }
    const value = JSON.parse(await answerTextTo({ ...userBody('Paris'), response_format: format }))
    expect(new Ajv2020().validate(schema, value)).toBe(true)
    expect(value).toEqual({ city: 'Paris', unit: 'celsius' })
  })
})
