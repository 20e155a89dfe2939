import { type Form, stripArraySuffix } from '../domain/form.ts'
import type { WireId } from '../domain/wire-id.ts'
import { type MessageRules, messagesFor } from './native/messages.ts'
import type { Target } from './upstream.ts'
import type { Fields, ForwardCall, RefusedParameter } from './vendor.ts'

/** A chat field that a vendor cannot be given. Without the field, the answer would be different or billed differently. */
export interface RefusedField {
  field: string
  /** Which of its values are refused. By default all except null. */
  when?(value: unknown): boolean
  /** A complete sentence that says what to do. */
  message: string
}

/** An error answer whose status is not the one that it means. */
export interface StatusCorrection {
  status: number
  says: RegExp
  means: number
}

/** How one OpenAI-compatible vendor differs from the others. */
export interface Dialect {
  /** The field that caps a chat's output. OpenAI's reasoning models refuse `max_tokens`; most other vendors know only that. */
  capField: 'max_tokens' | 'max_completion_tokens'
  /** Whether `store: false` may be sent. Vendors that do not know the field may refuse it. */
  knowsStore: boolean
  inputOverhead: number
  /** Wires that it does not speak. */
  unsupportedWires: readonly WireId[]
  /** Set if it makes videos over the specification's wire. `idempotent`: it is known to honor the Idempotency-Key header. */
  videos?: { idempotent: boolean }
  /** The headers with its credential. By default a bearer token. */
  credential?(secret: string): Record<string, string>
  /** Where a request goes. By default below the base URL. */
  target?(baseUrl: string, path: string, upstreamModel: string): Target
  /** It always reports the usage of a stream, and may not know the option that asks for it. */
  alwaysReportsUsage?: true
  /** Chat fields that it does not get, because it refuses unknown fields or has no use for them. */
  drops?: readonly string[]
  /** It refuses `cache_control`, with which Anthropic's clients mark what is to be cached. */
  noCacheMarks?: boolean
  refuses?: readonly RefusedField[]
  /** What it accepts in the messages of chats. By default everything that OpenAI accepts. */
  messages?: MessageRules
  /** Finds anything else in a chat that it cannot be given, also inside messages and tools. */
  inspect?(body: Fields): RefusedParameter | null
  /** Fields of any request that start searches or other services of the vendor, or send the request elsewhere. */
  separatelyBilledFields?: readonly string[]
  /** Its models that cannot be sold, and the reason, for the operator. */
  unsold?: { models: RegExp; why: string }
  /** Makes a chat respect its cap if the vendor counts something in addition to the answer. */
  fit?(outgoing: Fields, cap: number): Fields
  /** Output tokens that a chat asks for in addition to its cap. */
  extraOutputTokens?(outgoing: Fields): number
  statusCorrections?: readonly StatusCorrection[]
  /** Chat models that are known to answer only in streams. Others are recognized by their error message (stream-only.ts). */
  streamsOnly?: RegExp
}

/** One of OpenAI's endpoints: its path, and how a request is changed before it is sent. */
export interface Wire {
  path: string
  /** The request to send. Only the model name, and what costs money or is stored, changes, so that unknown fields survive. */
  outgoing(call: ForwardCall, dialect: Dialect): Fields
  /** The most output tokens that an outgoing request asks for: Infinity if it names no cap, 0 if it makes no tokens. */
  capOf(outgoing: Fields, dialect: Dialect): number
  /** Whether a streamed answer comes as events. By default it does. */
  events?(outgoing: Fields): boolean
}

const withUsage = ({ body, stream }: ForwardCall): Fields =>
  stream ? { stream_options: { ...(body.stream_options as object | null | undefined), include_usage: true } } : {}

const choicesOf = ({ n }: Fields): number => (typeof n === 'number' ? n : 1)

/** How many texts a completion continues. A list of numbers is one text, in tokens. */
const countPrompts = ({ prompt }: Fields): number => (Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1)

const highestCap = (...caps: unknown[]): number => {
  const named = caps.filter((cap) => typeof cap === 'number')
  return named.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...named)
}

/** Drops fields that are null. They say nothing; clients send many of them, and strict servers refuse them. */
const withoutNulls = (body: Fields): Fields => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))

/** Lists that say nothing if they are empty. OpenAI and others refuse empty ones. */
const LISTS: ReadonlySet<string> = new Set(['tools', 'functions', 'stop'])
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0
const FREE_CHOICES: ReadonlySet<unknown> = new Set(['auto', 'none'])
/** What may be called and how, in both forms that exist. */
const CHOICES = [
  ['tools', 'tool_choice'],
  ['functions', 'function_call'],
] as const

/** Drops what says nothing: nulls, empty lists, and how tools are to be called if there are none, which OpenAI refuses too. */
function dropEmptyFields(body: Record<string, unknown>): void {
  for (const name in body) if (body[name] === null || (LISTS.has(name) && isEmptyList(body[name]))) delete body[name]
  for (const [list, choice] of CHOICES) if (body[list] === undefined && FREE_CHOICES.has(body[choice])) delete body[choice]
  if (body.tools === undefined && body.parallel_tool_calls !== undefined) delete body.parallel_tool_calls
}

/** Sets the vendor's model name and drops `store`. Wires that know `store` set it to false, so that no vendor stores anything. */
function withUpstreamModel({ body: { store: _, ...body }, deployment }: ForwardCall): Fields {
  return { ...body, model: deployment.upstreamModel }
}

/** The fields of a chat that a vendor does not get. `modalities` stays if it asks for images, because it decides what is made. */
export const droppedFields = ({ modalities }: Fields, { drops = [] }: Dialect): readonly string[] =>
  Array.isArray(modalities) && modalities.includes('image') ? drops.filter((field) => field !== 'modalities') : drops

function outgoingChat(call: ForwardCall, dialect: Dialect): Fields {
  const { max_tokens: _a, max_completion_tokens: _b, store: _c, stream_options: _d, service_tier: tier, ...rest } = call.body
  const outgoing: Record<string, unknown> = {
    ...rest,
    messages: messagesFor(rest.messages, dialect.messages),
    model: call.deployment.upstreamModel,
    [dialect.capField]: call.cap,
    ...(dialect.knowsStore ? { store: false, ...(tier === 'default' ? { service_tier: tier } : {}) } : {}),
    ...(dialect.alwaysReportsUsage ? {} : withUsage(call)),
  }
  dropEmptyFields(outgoing)
  for (const field of droppedFields(outgoing, dialect)) delete outgoing[field]
  return dialect.fit?.(outgoing, call.cap) ?? outgoing
}

function outgoingCompletion(call: ForwardCall): Fields {
  const { stream_options: _, ...rest } = withUpstreamModel(call)
  return { ...rest, max_tokens: call.cap, ...withUsage(call) }
}

/** For wires that make no tokens, which therefore have no cap. */
const UNCAPPED_WIRE = { outgoing: withUpstreamModel, capOf: () => 0 }
const outgoingEmbeddings = (call: ForwardCall): Fields => withoutNulls(withUpstreamModel(call))

/** The wires whose requests are JSON. */
export const JSON_WIRES: Partial<Record<WireId, Wire>> = {
  'openai.chat': {
    path: '/chat/completions',
    outgoing: outgoingChat,
    capOf: (out, { extraOutputTokens }) =>
      (highestCap(out.max_tokens, out.max_completion_tokens) + (extraOutputTokens?.(out) ?? 0)) * choicesOf(out),
  },
  'openai.completions': {
    path: '/completions',
    outgoing: outgoingCompletion,
    capOf: (out) =>
      highestCap(out.max_tokens) *
      Math.max(choicesOf(out), typeof out.best_of === 'number' ? out.best_of : 1) *
      countPrompts(out),
  },
  'openai.responses': {
    path: '/responses',
    outgoing: (call) => ({ ...withUpstreamModel(call), max_output_tokens: call.cap, store: false }),
    capOf: (out) => highestCap(out.max_output_tokens),
  },
  'openai.embeddings': { path: '/embeddings', ...UNCAPPED_WIRE, outgoing: outgoingEmbeddings },
  'openai.images': { path: '/images/generations', ...UNCAPPED_WIRE },
  'openai.speech': { path: '/audio/speech', ...UNCAPPED_WIRE, events: ({ stream_format }) => stream_format === 'sse' },
}

/** The wires whose requests are forms. */
export const FORM_WIRES: Partial<Record<WireId, string>> = {
  'openai.image-edits': '/images/edits',
  'openai.transcriptions': '/audio/transcriptions',
  'openai.translations': '/audio/translations',
}

const OVERRIDDEN_FIELDS = new Set(['model', 'store'])

/** The form with the vendor's name for the model, and without `store`. */
export function formWithUpstreamModel(form: Form, model: string): Form {
  return {
    parts: [{ name: 'model', value: model }, ...form.parts.filter(({ name }) => !OVERRIDDEN_FIELDS.has(stripArraySuffix(name)))],
  }
}
