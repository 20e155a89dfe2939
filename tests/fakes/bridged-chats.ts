import { expect } from 'vitest'
import { addModel } from '../support/fixtures.ts'
import { eventsOf, type RawAnswer } from '../support/raw-client.ts'
import { type ApiWorld, type Holder, openApiWorld, UPSTREAM_MODEL, untilModelKnown, VENDOR_SECRET } from './api-world.ts'
import { claudeAnswer, claudeText, geminiAnswer, respondClaude, respondGemini } from './bridged-vendors.ts'
import type { Call } from './vendor.ts'

export const UNITS = { input: '1000000000', cached_input: '100000000', cache_write: '1250000000', output: '5000000000' }
export const KINDS = ['anthropic', 'google'] as const
export type Kind = (typeof KINDS)[number]

const MODELS = { anthropic: 'claude-sonnet-4-5', google: 'gemini-2.5-pro' } as const
/** Makes a vendor answer with a text. */
export const respond = {
  anthropic: (text: string) => respondClaude(claudeAnswer([claudeText(text)])),
  google: (text: string) => respondGemini(geminiAnswer([{ text }])),
}
const usageAsked = { stream: true, stream_options: { include_usage: true } }

/** Opens a gateway with two models of each kind, one of which reasons. */
export async function openBridgedWorld(): Promise<ApiWorld> {
  const world = await openApiWorld()
  for (const kind of KINDS) {
    const vendor = { baseUrl: world.vendor.url, kind, secret: VENDOR_SECRET, units: UNITS }
    await addModel(world.pool, { id: `fake/${kind}`, upstreamModel: UPSTREAM_MODEL, ...vendor })
    await addModel(world.pool, { id: `fake/${kind}-thinks`, upstreamModel: MODELS[kind], ...vendor, contextWindow: 200_000 })
  }
  await untilModelKnown(world, 'fake/google-thinks')
  return world
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read field by field
export type Json = any

/** The message of a stream as a client puts it together: of a field that it does not know it keeps the last value. */
export function messageOf(chunks: readonly Json[]): Json {
  const message: Json = { role: 'assistant', content: '' }
  for (const { delta } of chunks.flatMap(({ choices }) => choices)) {
    const { content, reasoning_content, tool_calls = [], ...rest } = delta
    message.content += content ?? ''
    if (reasoning_content) message.reasoning_content = (message.reasoning_content ?? '') + reasoning_content
    for (const { index, function: body, ...call } of tool_calls) {
      message.tool_calls ??= []
      message.tool_calls[index] ??= { ...call, function: { name: body.name, arguments: '' } }
      message.tool_calls[index].function.arguments += body.arguments
    }
    Object.assign(message, rest)
  }
  return message
}

/** The message and usage of an answer, streamed or whole. */
export function readMessage(answer: RawAnswer, stream: boolean): { message: Json; finish: string; usage: Json } {
  if (!stream) {
    const { choices, usage } = answer.json() as Json
    return { message: choices[0].message, finish: choices[0].finish_reason, usage }
  }
  const events = eventsOf(answer.body)
  expect(events.at(-1)).toBe('[DONE]')
  const chunks: Json[] = events.slice(0, -1).map((data) => JSON.parse(data))
  const finish = chunks.flatMap(({ choices }) => choices).findLast(({ finish_reason }) => finish_reason)?.finish_reason ?? ''
  return { message: messageOf(chunks), finish, usage: chunks.at(-1)?.usage }
}

/** How to send a chat, and the last call that its vendor received. */
export const createChatClient = (world: () => ApiWorld) => ({
  lastCall: (): Call => {
    const call = world().vendor.calls.at(-1)
    if (!call) throw new Error('the vendor was not called')
    return call
  },
  async sendChat(kind: Kind, stream: boolean, body: object = {}, holder?: Holder) {
    const who = holder ?? (await world().holder())
    const answer = await world().chat(who.secret, { model: `fake/${kind}`, ...(stream ? usageAsked : {}), ...body })
    return { answer, holder: who }
  },
})
