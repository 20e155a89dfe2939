import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LanguageCapabilities, LanguagePart } from '../../domain/language.ts'
import { NO_USAGE } from '../../domain/usage.ts'
import type { LanguageHead } from '../answer.ts'
import { chatCompletions } from '../chat.ts'
import { CLAUDE, GEMINI } from '../testing.ts'
import { toLanguageAsk } from './language.ts'
import { ChatPartsTap, readNonStreamingParts } from './parts.ts'
import type { ChatBody } from './schema.ts'

type Part = LanguageModelV4StreamPart

const head = (skills = CLAUDE): LanguageHead => ({ modelId: 'm', requestId: 'req_1', at: new Date(5000), skills })

const finish = (more: object = {}): Part =>
  ({
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'end' },
    usage: { inputTokens: { total: 10, cacheRead: 4, cacheWrite: 1 }, outputTokens: { total: 5, reasoning: 2 } },
    ...more,
  }) as Part
const text = (delta: string, signature?: string): Part => ({
  type: 'text-delta',
  id: '0',
  delta,
  ...(signature === undefined ? {} : { providerMetadata: { google: { thoughtSignature: signature } } }),
})
const label = (parts: readonly Part[], choice = 0): LanguagePart[] => parts.map((part) => ({ choice, part }))

// biome-ignore lint/suspicious/noExplicitAny: chunks are read field by field
type Json = any

function stream(parts: readonly LanguagePart[], options: { choices?: number; skills?: LanguageCapabilities } = {}) {
  const tap = new ChatPartsTap({
    head: head(options.skills),
    body: { n: options.choices ?? 1, stream_options: { include_usage: true } },
  })
  const bytes = parts.map((part) => Buffer.from(tap.push(part)).toString()).join('')
  const chunks: Json[] = bytes
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice('data: '.length)))
  return { tap, chunks, choices: chunks.flatMap((chunk) => chunk.choices) }
}

describe('a stream of parts', () => {
  it('becomes chunks, with the role in the first and nothing of a vendor in any', () => {
    const { chunks, tap } = stream(label([{ type: 'stream-start', warnings: [] }, text('a'), text('b'), finish()]))
    expect(chunks.map(({ choices }) => choices)).toEqual([
      [{ index: 0, delta: { role: 'assistant', content: 'a' }, logprobs: null, finish_reason: null }],
      [{ index: 0, delta: { content: 'b' }, logprobs: null, finish_reason: null }],
      [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }],
    ])
    for (const { choices: _, ...rest } of chunks)
      expect(rest).toEqual({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 5, model: 'm' })
    expect(tap.end()).toMatchObject({ complete: true, finishReason: 'stop' })
    expect(tap.end().usage).toEqual({ input: 5n, cachedInput: 4n, cacheWrite: 1n, output: 5n, reasoning: 2n, requests: 1n })
    expect(tap.text()).toBe('ab')
  })

  const PNG = 'iVBORw0KGgo='
  const file = (mediaType: string, data: object): Part => ({ type: 'file', mediaType, data }) as Part
  const made = (index: number) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` }, index })

  it('has the images that the model made, whole and streamed, and no other files', () => {
    const parts = label([
      file('image/png', { type: 'data', data: PNG }),
      text('a'),
      file('image/png', { type: 'data', data: Buffer.from(PNG, 'base64') }),
      file('audio/wav', { type: 'data', data: 'AAAA' }),
      file('image/png', { type: 'url', url: new URL('https://example.com/a.png') }),
      finish(),
    ])
    const { tap, choices } = stream(parts)
    expect(choices.map(({ delta }) => delta)).toEqual([
      { role: 'assistant', images: [made(0)] },
      { content: 'a' },
      { images: [made(1)] },
      {},
    ])
    expect(tap.text()).toBe('a')
    const [first] = parts
    if (first) expect(stream([first]).tap.started).toBe(true)
    const whole = JSON.parse(readNonStreamingParts(parts, head(), { n: 1 }).encode(NO_USAGE, 0n).toString()) as Json
    expect(whole.choices[0].message).toEqual({ role: 'assistant', content: 'a', refusal: null, images: [made(0), made(1)] })
    const alone = readNonStreamingParts(label([parts[0]?.part as Part, finish()]), head(), { n: 1 })
    expect((alone.toAnswerJson() as Json).choices[0].message).toMatchObject({ content: null, images: [made(0)] })
  })

  it('tells usage once, at the end, with what it cost', () => {
    const { tap } = stream(label([text('a'), finish()]))
    const usage = tap.end().usage
    if (!usage) throw new Error('no usage')
    const [chunk, done] = Buffer.from(tap.tail(usage, 1_500n)).toString().trim().split('\n\n')
    expect(done).toBe('data: [DONE]')
    expect(JSON.parse(chunk?.slice(6) ?? '')).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 }, cost: 0.0000015 },
    })
  })

  it('of several choices is done when all of them are, and sums what they used', () => {
    const parts = [...label([text('a'), finish()], 0), ...label([text('b')], 1)]
    const half = stream(parts, { choices: 2 })
    expect(half.tap.done).toBe(false)
    expect(half.tap.end()).toMatchObject({ complete: false, usage: null })
    const both = stream([...parts, ...label([finish()], 1)], { choices: 2 })
    expect(both.tap.done).toBe(true)
    expect(both.tap.end().usage).toMatchObject({ input: 10n, cachedInput: 8n, output: 10n })
  })

  it.each([
    ['an error', { type: 'error', error: { type: 'overloaded_error', message: 'the prompt' } }, 'in-band error overloaded_error'],
    ['an error without a type', { type: 'error', error: new TypeError('the prompt') }, 'in-band error TypeError'],
  ])('is broken by %s, and its words stay inside', (_, part, detail) => {
    const { tap } = stream(label([text('a'), part as Part]))
    expect(tap.broken).toMatchObject({ message: 'The model failed while it was answering.', detail })
  })

  it('that was interrupted is not complete, and has no usage', () => {
    const { tap, choices } = stream(label([text('a'), finish({ finishReason: { unified: 'interrupted', raw: undefined } })]))
    expect(tap.end()).toMatchObject({ complete: false, usage: null })
    expect(choices.map((choice) => choice.finish_reason)).toEqual([null])
  })

  it.each([
    [{ inputTokens: {}, outputTokens: {} }],
    [{ inputTokens: { total: -1 }, outputTokens: { total: 5 } }],
    [{ inputTokens: { total: 1.5 }, outputTokens: { total: 5 } }],
    [{ inputTokens: { total: 10 }, outputTokens: { total: 1e15 } }],
  ])('whose usage makes no sense has none: %j', (usage) => {
    const { tap } = stream(label([text('a'), finish({ usage })]))
    expect(tap.end()).toMatchObject({ complete: true, usage: null })
  })
})

it.each([
  [{ unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' }],
  [{ unified: 'other', raw: 'UNEXPECTED_TOOL_CALL' }],
  [{ unified: 'other', raw: 'MALFORMED_RESPONSE' }],
] as const)('of a model that has failed before it said anything is none: %j', (finishReason) => {
  const end = finish({ finishReason })
  const thought = [{ type: 'reasoning-delta', id: 'r', delta: 'hm' } as Part, end]
  for (const parts of [[end], thought]) {
    expect(stream(label(parts)).tap.broken).toMatchObject({ detail: `an end of its own: ${finishReason.raw}` })
    expect(() => readNonStreamingParts(label(parts), head(), { n: 1 })).toThrow(/failed/)
  }
  expect(stream(label([text('a'), end])).tap.broken).toBe(null)
  expect(stream(label([finish({ finishReason: { unified: 'other', raw: 'LANGUAGE' } })])).tap.broken).toBe(null)
})

it('a whole answer without an end is broken, and one with an error too', () => {
  expect(() => readNonStreamingParts(label([text('a')]), head(), { n: 1 })).toThrow(/ended the answer early/)
  expect(() => readNonStreamingParts(label([{ type: 'error', error: {} }, finish()]), head(), { n: 1 })).toThrow(/failed/)
  expect(() => readNonStreamingParts(label([text('a'), finish()]), head(), { n: 2 })).toThrow(/ended the answer early/)
})

it('a whole answer longer than what history keeps is whole', () => {
  const long = 'x'.repeat(1_500_000)
  const whole = readNonStreamingParts(label([text(long), text('end'), finish()]), head(), { n: 1 })
  const usage = whole.usage
  if (!usage) throw new Error('no usage')
  const { choices } = JSON.parse(whole.encode(usage, 0n).toString()) as Json
  expect(choices[0].message.content.length).toBe(1_500_003)
})

const piece = fc.string({ maxLength: 8 })
const signature = fc.base64String({ minLength: 4, maxLength: 12 })

/** Blocks as a model generates them: text, signed or hidden reasoning, and calls at the end. */
const blocks = fc.tuple(
  fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('text' as const), text: fc.string({ minLength: 1, maxLength: 8 }) }),
      fc.record({ kind: fc.constant('thought' as const), text: piece, signature }),
      fc.record({ kind: fc.constant('hidden' as const), data: signature }),
    ),
    { maxLength: 6 },
  ),
  fc.array(fc.record({ thought: fc.option(signature), args: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }) }), {
    maxLength: 3,
  }),
)

it('what Claude thought goes back where it stood, byte for byte, streamed and whole', () => {
  fc.assert(
    fc.property(blocks, ([said, calls]) => {
      const parts: Part[] = []
      const expected: Record<string, unknown>[] = []
      const merge = (value: string) => {
        const last = expected.at(-1) as { type?: string; text?: string } | undefined
        if (last?.type === 'text') last.text += value
        else expected.push({ type: 'text', text: value })
      }
      said.forEach((block, index) => {
        const id = String(index)
        if (block.kind === 'text') {
          parts.push({ type: 'text-delta', id, delta: block.text })
          merge(block.text)
        } else if (block.kind === 'thought') {
          parts.push({ type: 'reasoning-start', id }, { type: 'reasoning-delta', id, delta: block.text })
          parts.push({ type: 'reasoning-delta', id, delta: '', providerMetadata: { anthropic: { signature: block.signature } } })
          expected.push({ type: 'reasoning', text: block.text, providerOptions: { anthropic: { signature: block.signature } } })
        } else {
          parts.push({ type: 'reasoning-start', id, providerMetadata: { anthropic: { redactedData: block.data } } })
          expected.push({ type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: block.data } } })
        }
      })
      calls.forEach(({ thought, args }, index) => {
        if (thought !== null && index > 0) {
          parts.push({ type: 'reasoning-start', id: 't', providerMetadata: { anthropic: { signature: thought } } })
          expected.push({ type: 'reasoning', text: '', providerOptions: { anthropic: { signature: thought } } })
        }
        const call = { toolCallId: `c${index}`, toolName: 'f' }
        parts.push({ type: 'tool-call', ...call, input: JSON.stringify(args) })
        expected.push({ type: 'tool-call', ...call, input: JSON.parse(JSON.stringify(args)) })
      })
      // A blank text is left out, because the vendor refuses one.
      const carried = expected.filter((part) => !('type' in part && part.type === 'text' && /^\s*$/.test(String(part.text))))
      for (const message of bothMessages([...parts, finish()], CLAUDE)) expect(sendBack(message, CLAUDE)).toEqual(carried)
    }),
    { examples: [[[[{ kind: 'text', text: ' ' }], []]]] },
  )
})

it('what Gemini signed goes back where it stood, streamed and whole', () => {
  const parts = [
    text('plain, '),
    text('signed', 'A=='),
    text(' and more'),
    text('', 'B=='),
    {
      type: 'tool-call',
      toolCallId: 'c',
      toolName: 'f',
      input: '{}',
      providerMetadata: { google: { thoughtSignature: 'C==' } },
    } as Part,
    finish(),
  ]
  const signed = (value: string) => ({ providerOptions: { google: { thoughtSignature: value } } })
  for (const message of bothMessages(parts, GEMINI))
    expect(sendBack(message, GEMINI)).toEqual([
      { type: 'text', text: 'plain, ' },
      { type: 'text', text: 'signed', ...signed('A==') },
      { type: 'text', text: ' and more' },
      { type: 'text', text: '', ...signed('B==') },
      { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {}, ...signed('C==') },
    ])
})

it('what another vendor signed, and what makes no sense, is left out', () => {
  const junk = [
    null,
    5,
    {},
    { format: 'anthropic-claude-v1' },
    { format: 'anthropic-claude-v1', type: 'reasoning.text', text: 5, signature: 'x' },
  ]
  const message = {
    role: 'assistant',
    content: 'x',
    reasoning_details: [...junk, { type: 'reasoning.text', text: 't', signature: 's', format: 'google-gemini-v1' }],
  }
  expect(sendBack(message, CLAUDE)).toEqual([{ type: 'text', text: 'x' }])
  expect(sendBack({ ...message, reasoning_details: 'text' }, CLAUDE)).toEqual([{ type: 'text', text: 'x' }])
})

/** The message as a client has it: put together from a stream, and from a non-streaming answer. */
function bothMessages(parts: readonly Part[], skills: LanguageCapabilities): Json[] {
  const { choices } = stream(label(parts), { skills })
  const streamed: Json = { role: 'assistant', content: '' }
  for (const { delta } of choices) {
    const { content = '', tool_calls = [], ...rest } = delta
    streamed.content += content
    for (const { index, function: body, ...call } of tool_calls) {
      streamed.tool_calls ??= []
      streamed.tool_calls[index] ??= { ...call, function: { name: body.name, arguments: '' } }
      streamed.tool_calls[index].function.arguments += body.arguments
    }
    Object.assign(streamed, rest)
  }
  const whole = readNonStreamingParts(label(parts), head(skills), { n: 1 })
  const usage = { input: 0n, cachedInput: 0n, cacheWrite: 0n, output: 0n, reasoning: 0n, requests: 1n }
  return [streamed, JSON.parse(whole.encode(usage, 0n).toString()).choices[0].message]
}

/** The message as it is sent to the vendor when it comes back. */
function sendBack(message: Json, skills: LanguageCapabilities): unknown {
  const body = chatCompletions.parse({ model: 'm', messages: [{ role: 'user', content: 'x' }, message] }) as ChatBody
  const { prompt } = toLanguageAsk(body, skills).options
  return prompt[1]?.content ?? []
}
