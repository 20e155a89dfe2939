import type { Condition } from '#lib/domain/errors'

/** What a vendor has nothing of, and why: a cell is never just missing. */
export interface None {
  none: string
}

export type Cell<Content> = Content | None

export const isNone = <Content extends object>(cell: Cell<Content>): cell is None => 'none' in cell

/** Bytes that a vendor was recorded to send: a file beside the project, `.json` whole, `.chunks.txt` streamed. */
export interface Recorded {
  recorded: string
}

/** Bytes that were written after a vendor's documentation: an object is a whole answer, a list a stream of its events. */
export interface Written {
  written: object | readonly object[]
  /** Where the vendor, or the provider package's types, show the form. */
  after: string
}

/** Tokens as OpenAI counts them: `prompt` has what was cached and written to a cache in it, `completion` the thoughts. */
export interface Used {
  prompt: number
  completion: number
  cached?: number
  cacheWrite?: number
  reasoning?: number
}

/** One answer of a vendor, and what has to come of it. */
export interface Answered {
  bytes: Recorded | Written
  used: Used
  finish: 'stop' | 'length' | 'tool_calls'
  says?: RegExp
  /** Names and arguments, as they were written. */
  calls?: readonly (readonly [name: string, args: string])[]
}

/** One error answer of a vendor. */
export interface Fault {
  status: number
  /** A text is no JSON, such as a proxy's page. */
  body: object | string
  headers?: Record<string, string>
  is: Condition
  /** Of what is wrong with the request alone: the words that its sender reads, and the field that is named. */
  says?: RegExp
  param?: string
  /** Seconds that the client is told to wait; none where this is absent. */
  retryAfter?: string
  /** What the client reads, where the vendor was not even understood. */
  ours?: RegExp
}

/** Why vendors refuse or fail; each says it in its own way. */
export interface Faults {
  /** The operator's credentials are wrong. */
  credentials: Cell<Fault | readonly Fault[]>
  /** The operator's account at the vendor is empty. */
  funds: Cell<Fault | readonly Fault[]>
  /** The request itself is at fault. */
  request: Cell<Fault | readonly Fault[]>
  /** The vendor is asked too often. */
  rate: Cell<Fault | readonly Fault[]>
  /** The vendor fails, or has too much to do. */
  failure: Cell<Fault | readonly Fault[]>
}

/** How a vendor writes a stream: events and `[DONE]`, events with their names, events alone, or Amazon's frames. */
export type Framing = 'done' | 'named' | 'bare' | 'frames'

/** What every kind with chats has to have shown, each cell on bytes of its vendor's wire. */
export interface ChatRow {
  upstreamModel: string
  /** Where a chat goes behind the origin, and a streamed one where it goes elsewhere. */
  path: string
  streamPath?: string
  /** The header that carries the credential `SECRET`. */
  credential: readonly [header: string, value: string]
  framing: Framing
  text: Cell<readonly Answered[]>
  stream: Cell<readonly Answered[]>
  tools: Cell<readonly Answered[]>
  toolStream: Cell<readonly Answered[]>
  cached: Cell<readonly Answered[]>
  reasoning: Cell<readonly Answered[]>
  faults: Faults
  /** Events of a stream that breaks off with an error after its first words. */
  brokenStream: Cell<Written>
}

/** The cells of a row that hold answers. */
export const ANSWER_CELLS = ['text', 'stream', 'tools', 'toolStream', 'cached', 'reasoning'] as const
export const FAULTS = ['credentials', 'funds', 'request', 'rate', 'failure'] as const

export const SECRET = 'kinds-secret-Zx4cVb7n'
export const BEARER = ['authorization', `Bearer ${SECRET}`] as const

export const recorded = (
  file: string,
  used: Used,
  more: Omit<Answered, 'bytes' | 'used' | 'finish'>,
  finish?: Answered['finish'],
) => ({ bytes: { recorded: file }, used, finish: finish ?? (more.calls ? 'tool_calls' : 'stop'), ...more }) satisfies Answered

/** True for bytes that are a stream. */
export const isStream = (bytes: Recorded | Written): boolean =>
  'recorded' in bytes ? bytes.recorded.endsWith('.txt') : Array.isArray(bytes.written)
