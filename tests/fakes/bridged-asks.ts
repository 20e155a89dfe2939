import { afterAll, beforeAll, expect } from 'vitest'
import type { Connection } from '#lib/domain/catalog'
import { VendorRegistry } from '#lib/vendors/registry'
import { chatCompletions } from '#lib/wire/chat'
import { claudeAnswer, claudeText, geminiAnswer } from './bridged-vendors.ts'
import { chatAnswer, type FakeVendor, sendJson, startFakeVendor } from './vendor.ts'

export const MODELS = {
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-pro',
  mistral: 'mistral-large-latest',
  cohere: 'command-a-03-2025',
  'amazon-bedrock': 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'google-vertex': 'gemini-2.5-pro',
} as const
export type Kind = keyof typeof MODELS
/** Kinds that are not in the table of all parameters but in a list of what differs. */
export const OTHERS = ['mistral', 'cohere', 'amazon-bedrock', 'google-vertex'] as const satisfies Kind[]

/** A non-streaming answer of each vendor that says "ok". */
export const ANSWERS: Record<Kind, object> = {
  anthropic: claudeAnswer([claudeText('ok')]),
  google: geminiAnswer([{ text: 'ok' }]),
  mistral: chatAnswer('ok'),
  cohere: {
    id: 'c',
    message: { role: 'assistant', content: [{ type: 'text', text: 'ok' }] },
    finish_reason: 'COMPLETE',
    usage: { billed_units: { input_tokens: 10, output_tokens: 5 }, tokens: { input_tokens: 100, output_tokens: 6 } },
  },
  'amazon-bedrock': {
    output: { message: { role: 'assistant', content: [{ text: 'ok' }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  },
  'google-vertex': geminiAnswer([{ text: 'ok' }]),
}

export const TOOL = {
  type: 'function',
  function: { name: 'f', description: 'd', parameters: { type: 'object', properties: {} } },
}

export const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
export const FORMAT = { type: 'json_schema', json_schema: { name: 's', schema: SCHEMA, strict: true } }
export const MARK = { cache_control: { type: 'ephemeral' } }

/** A message with another part after its text. */
export const user = (part: object) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }, part] }] })

/** A conversation in which a function was called. */
export const TOOL_CALL_CONVERSATION = {
  messages: [
    { role: 'user', content: 'x' },
    { role: 'assistant', tool_calls: [{ id: 'call_abc.1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }] },
    { role: 'tool', tool_call_id: 'call_abc.1', content: 'done' },
  ],
}

interface Options {
  model?: string
  cap?: number
  secret?: string
  stream?: boolean
}

/** Calls bridged vendors for the tests of a file. One fake vendor plays all of them and answers as told. */
export function bridgedAsks() {
  const registry = new VendorRegistry()
  const asks = { run, ask } as { vendor: FakeVendor; run: typeof run; ask: typeof ask }
  beforeAll(async () => {
    asks.vendor = await startFakeVendor()
  })
  afterAll(async () => {
    await registry.close()
    await asks.vendor?.[Symbol.asyncDispose]()
  })

  /** Calls the vendor through the real provider package. Throws a Refusal if the request is refused. */
  async function run(
    kind: Kind,
    body: object,
    { model: upstreamModel = MODELS[kind], cap = 8000, secret = 'vendor-secret', stream = false }: Options = {},
  ) {
    const connection: Connection = {
      id: kind,
      name: kind,
      kind,
      baseUrl: new URL(asks.vendor.url).origin,
      secret,
      headers: {},
      connectTimeoutMs: 1000,
      headersTimeoutMs: 5000,
      idleTimeoutMs: 5000,
    }
    const { bridge } = registry.get(connection) ?? {}
    const { language } = chatCompletions
    if (!bridge || !language) throw new Error(`${kind} is not bridged`)
    const parsed = chatCompletions.parse({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...body })
    const model = { maxOutput: 65_536, contextWindow: 200_000 }
    const price = { rates: { input: 1n, output: 1n, image_output: 1n, web_search: 1n } }
    const ports = { model, price, bodyBytes: 100, countTokens: async () => 1 }
    const work = await chatCompletions.prepare(parsed, ports as never)
    return await bridge.run({
      deployment: { id: 'dep', upstreamModel, weight: 1, priority: 1, connection },
      connection,
      ask: language.ask(work, bridge.skills(upstreamModel)),
      stream,
      cap,
      choices: parsed.n ?? 1,
      signal: new AbortController().signal,
      onSent: () => undefined,
    })
  }

  /** What the vendor received, and what of the request was ignored. */
  async function ask(kind: Kind, body: object, options: Options = {}) {
    asks.vendor.answer((call) => sendJson(call, ANSWERS[kind]))
    const before = asks.vendor.calls.length
    const answer = await run(kind, body, options)
    if (answer.k !== 'parts') throw new Error(`status ${answer.status}`)
    expect(asks.vendor.calls.length - before).toBe((body as { n?: number }).n ?? 1)
    return { sent: asks.vendor.calls.at(-1)?.body ?? {}, ignored: [...answer.ignored].sort() }
  }

  return asks
}
