import { type Form, plainName } from '../domain/form.ts'
import type { WireId } from '../domain/wire-id.ts'
import { type MessageRules, messagesFor } from './native/messages.ts'
import type { Target } from './upstream.ts'
import type { Fields, ForwardCall, RefusedParameter } from './vendor.ts'

/** A field of chats that a vendor cannot be given: without it the answer would be another one, or billed in another way. */
export interface RefusedField {
  field: string
  /** What of it cannot be; anything but null where this is absent. */
  when?(value: unknown): boolean
  /** A whole sentence that says what to do. */
  message: string
}

/** An error answer whose status says something else than it means. */
export interface Misstated {
  status: number
  says: RegExp
  means: number
}

/** How a vendor of this family differs from the others. */
export interface Dialect {
  /** The field that caps a chat's output: OpenAI's reasoning models refuse `max_tokens`, most others know only that. */
  capField: 'max_tokens' | 'max_completion_tokens'
  /** Whether `store: false` may be sent; vendors that do not know the field may refuse it. */
  knowsStore: boolean
  inputOverhead: number
  /** Wires that it does not speak. */
  lacks: readonly WireId[]
  /** It makes videos, as the specification has them; `idempotent` where it is known to know the header Idempotency-Key. */
  videos?: { idempotent: boolean }
  /** The headers that carry its credential; a bearer token where this is absent. */
  credential?(secret: string): Record<string, string>
  /** Where a request goes; below the base URL where this is absent. */
  target?(baseUrl: string, path: string, upstreamModel: string): Target
  /** It always tells the usage of a stream, and may not know how to be asked for it. */
  tellsUsage?: true
  /** Fields of chats that it does not get, because it refuses what it does not know or has no use for them. */
  drops?: readonly string[]
  refuses?: readonly RefusedField[]
  /** What it takes in the messages of chats; all that OpenAI does where this is absent. */
  messages?: MessageRules
  /** What else of a chat it cannot be given, where that is no field of the request's own. */
  inspect?(body: Fields): RefusedParameter | null
  /** Fields of any request that start searches and other services of the vendor's own, or send it elsewhere. */
  billsApart?: readonly string[]
  /** Models of it that cannot be sold, and why, for the operator. */
  unsold?: { models: RegExp; why: string }
  /** Makes a chat keep to its cap where the vendor counts something beside it. */
  fit?(outgoing: Fields, cap: number): Fields
  /** Output tokens that a chat asks for beside its cap. */
  beside?(outgoing: Fields): number
  misstates?: readonly Misstated[]
  /** Models of chats that are known to answer in streams alone. Others are found by what they say (stream-only.ts). */
  streamsOnly?: RegExp
}

/** One of OpenAI's endpoints: where it is, and what a request there becomes when it goes out. */
export interface Wire {
  path: string
  /** What goes out. Only the model's name and what costs money or is kept changes, so that what this gateway does not know survives. */
  outgoing(call: ForwardCall, dialect: Dialect): Fields
  /** The most output tokens that an outgoing request asks for; Infinity where it names no cap, 0 where it makes no tokens. */
  capOf(outgoing: Fields, dialect: Dialect): number
  /** Whether a streamed answer comes as events; it does where this is absent. */
  events?(outgoing: Fields): boolean
}

const withUsage = ({ body, stream }: ForwardCall): Fields =>
  stream ? { stream_options: { ...(body.stream_options as object | null | undefined), include_usage: true } } : {}

const choicesOf = ({ n }: Fields): number => (typeof n === 'number' ? n : 1)

/** How many texts a completion continues: a list of numbers is one of them, in tokens. */
const promptsIn = ({ prompt }: Fields): number => (Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1)

const capsOf = (...caps: unknown[]): number => {
  const named = caps.filter((cap) => typeof cap === 'number')
  return named.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...named)
}

/** A field that is null says nothing, and is not sent: clients send many so, and strict servers refuse them. */
const saying = (body: Fields): Fields => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))

/** Lists that say nothing where they are empty, and that OpenAI and others refuse then. */
const LISTS = ['tools', 'functions', 'stop']
const FREE_CHOICES: ReadonlySet<unknown> = new Set(['auto', 'none'])
/** What may be called, and how, in both forms that there are. */
const CHOICES = [
  ['tools', 'tool_choice'],
  ['functions', 'function_call'],
] as const

/** Without what says nothing: empty lists, and how tools are to be called where there are none, which OpenAI refuses too. */
function telling(body: Fields): Fields {
  const kept: Record<string, unknown> = saying(body)
  for (const name of LISTS) if (Array.isArray(kept[name]) && kept[name].length === 0) delete kept[name]
  for (const [list, choice] of CHOICES) if (kept[list] === undefined && FREE_CHOICES.has(kept[choice])) delete kept[choice]
  if (kept.tools === undefined) delete kept.parallel_tool_calls
  return kept
}

/** No vendor keeps anything: whoever knows `store` is told so by its wire, and nobody else is asked. */
function renamed({ body: { store: _, ...body }, deployment }: ForwardCall): Fields {
  return { ...body, model: deployment.upstreamModel }
}

function outgoingChat(call: ForwardCall, dialect: Dialect): Fields {
  const { max_tokens: _a, max_completion_tokens: _b, store: _c, stream_options: _d, service_tier: tier, ...rest } = call.body
  const outgoing: Record<string, unknown> = {
    ...telling(rest),
    messages: messagesFor(rest.messages, dialect.messages),
    model: call.deployment.upstreamModel,
    [dialect.capField]: call.cap,
    ...(dialect.knowsStore ? { store: false, ...(tier === 'default' ? { service_tier: tier } : {}) } : {}),
    ...(dialect.tellsUsage ? {} : withUsage(call)),
  }
  for (const field of dialect.drops ?? []) delete outgoing[field]
  return dialect.fit?.(outgoing, call.cap) ?? outgoing
}

function outgoingCompletion(call: ForwardCall): Fields {
  const { stream_options: _, ...rest } = renamed(call)
  return { ...rest, max_tokens: call.cap, ...withUsage(call) }
}

/** What makes no tokens has no cap. */
const PLAIN = { outgoing: renamed, capOf: () => 0 }
const outgoingEmbeddings = (call: ForwardCall): Fields => saying(renamed(call))

/** The wires whose requests are JSON. */
export const JSON_WIRES: Partial<Record<WireId, Wire>> = {
  'openai.chat': {
    path: '/chat/completions',
    outgoing: outgoingChat,
    capOf: (out, { beside }) => (capsOf(out.max_tokens, out.max_completion_tokens) + (beside?.(out) ?? 0)) * choicesOf(out),
  },
  'openai.completions': {
    path: '/completions',
    outgoing: outgoingCompletion,
    capOf: (out) =>
      capsOf(out.max_tokens) * Math.max(choicesOf(out), typeof out.best_of === 'number' ? out.best_of : 1) * promptsIn(out),
  },
  'openai.responses': {
    path: '/responses',
    outgoing: (call) => ({ ...renamed(call), max_output_tokens: call.cap, store: false }),
    capOf: (out) => capsOf(out.max_output_tokens),
  },
  'openai.embeddings': { path: '/embeddings', ...PLAIN, outgoing: outgoingEmbeddings },
  'openai.images': { path: '/images/generations', ...PLAIN },
  'openai.speech': { path: '/audio/speech', ...PLAIN, events: ({ stream_format }) => stream_format === 'sse' },
}

/** The wires whose requests are forms. */
export const FORM_WIRES: Partial<Record<WireId, string>> = {
  'openai.image-edits': '/images/edits',
  'openai.transcriptions': '/audio/transcriptions',
  'openai.translations': '/audio/translations',
}

const OURS = new Set(['model', 'store'])

/** A form with the vendor's own name of the model, and without `store`. */
export function renamedForm(form: Form, model: string): Form {
  return { parts: [{ name: 'model', value: model }, ...form.parts.filter(({ name }) => !OURS.has(plainName(name)))] }
}
