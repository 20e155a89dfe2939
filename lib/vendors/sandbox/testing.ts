import type OpenAI from 'openai'
import { createSandbox } from '../sandbox.ts'
import type { ForwardCall, WireAnswer } from '../vendor.ts'
import type { SandboxOptions } from './options.ts'

type Body = Record<string, unknown>
type CallOverrides = Partial<ForwardCall> & { model?: string }

/** A call to the sandbox for a test. `body` needs no model. */
export function callOf(body: Body, overrides: CallOverrides = {}): ForwardCall {
  const { model = 'sandbox/chat', ...rest } = overrides
  const connection = {
    id: 'con_1',
    name: 'Sandbox',
    kind: 'sandbox',
    baseUrl: null,
    secret: null,
    headers: {},
    connectTimeoutMs: 1000,
    headersTimeoutMs: 1000,
    idleTimeoutMs: 1000,
  }
  return {
    deployment: { id: 'dep_1', upstreamModel: model, weight: 1, priority: 0, connection },
    connection,
    body: { model, ...body },
    form: null,
    stream: body.stream === true,
    cap: 4096,
    choices: typeof body.n === 'number' ? body.n : 1,
    signal: new AbortController().signal,
    onSent: () => undefined,
    ...rest,
  }
}

/** All bytes of an answer, as text. */
export async function textOf(answer: WireAnswer): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of answer.body) parts.push(part)
  return Buffer.concat(parts).toString()
}

/** The payloads of a stream, which follow `data: `. */
export const payloadsOf = (stream: string): string[] =>
  stream
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => event.replace(/^data: /, ''))

/** A body with one user message. */
export const userBody = (content: unknown): { messages: object[] } => ({ messages: [{ role: 'user', content }] })

/** The time of the sandbox's clock: 1,800,000,000 seconds since 1970. */
const NOW_MS = 1_800_000_000_123

/** Calls a new sandbox, which by default never waits, and has the same ids in every answer. */
export async function forward(call: ForwardCall, options: SandboxOptions = {}): Promise<WireAnswer> {
  const chat = createSandbox({ now: () => NOW_MS, pace: 0, nonce: () => 'nonce', ...options }).forward['openai.chat']
  if (!chat) throw new Error('the sandbox speaks openai.chat')
  return chat(call)
}

/** All bytes of the answer to a body, as text. */
export const rawAnswerTo = async (body: Body, overrides: CallOverrides = {}): Promise<string> =>
  textOf(await forward(callOf(body, overrides)))

/** The whole answer to a body. */
export const answerTo = async (body: Body, overrides: CallOverrides = {}): Promise<OpenAI.Chat.ChatCompletion> =>
  JSON.parse(await rawAnswerTo(body, overrides)) as OpenAI.Chat.ChatCompletion

/** The text of the first choice of the answer to a body. */
export const answerTextTo = async (body: Body, overrides: CallOverrides = {}): Promise<string> =>
  (await answerTo(body, overrides)).choices[0]?.message.content ?? ''

/** The name and the input of a tool call. */
export const callContent = (call: OpenAI.Chat.ChatCompletionMessageToolCall): object =>
  call.type === 'function' ? { name: call.function.name, arguments: call.function.arguments } : call.custom

/** Two tools to offer. */
export const weatherTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
      required: ['city', 'unit'],
      additionalProperties: false,
    },
  },
}
export const newsTool = {
  type: 'function',
  function: { name: 'find_news', parameters: { properties: { days: { type: 'integer', minimum: 2 } } } },
}
