import type { Condition } from '#lib/domain/errors'

/** A feature that a vendor does not have, and why. A cell is never just missing. */
export interface None {
  none: string
}

export type Cell<Content> = Content | None

export const isNone = <Content extends object>(cell: Cell<Content>): cell is None => 'none' in cell

/** Recorded bytes of a vendor, in a file next to the project: `.json` for a non-streaming answer, `.chunks.txt` for a stream. */
export interface Recorded {
  recorded: string
}

/** Bytes written from a vendor's documentation: an object is a non-streaming answer, an array a stream of its events. */
export interface Written {
  written: object | readonly object[]
  /** Where the vendor or the provider package's types document the format. */
  source: string
}

/** Tokens as OpenAI counts them: `prompt` includes those cached and written to a cache, `completion` includes reasoning. */
export interface Used {
  prompt: number
  completion: number
  cached?: number
  cacheWrite?: number
  reasoning?: number
}

/** An answer of a vendor, and the expected result. */
export interface ExpectedAnswer {
  bytes: Recorded | Written
  used: Used
  finish: 'stop' | 'length' | 'tool_calls'
  says?: RegExp
  /** Names and arguments, exactly as written. */
  calls?: readonly (readonly [name: string, args: string])[]
}

/** An error answer of a vendor. */
export interface Fault {
  status: number
  /** A string is not JSON, such as a proxy's page. */
  body: object | string
  headers?: Record<string, string>
  is: Condition
  /** Only for errors in the request: the words that its sender reads, and the field that is named. */
  says?: RegExp
  param?: string
  /** OpenAI's code, if the vendor gives one that its clients look for. */
  code?: string
  /** The seconds that the client is told to wait. If absent, none. */
  retryAfter?: string
}

/** Why vendors refuse or fail. Each reports it in its own way. */
export interface Faults {
  /** The operator's credentials are wrong. */
  credentials: Cell<Fault | readonly Fault[]>
  /** The operator's account at the vendor is empty. */
  funds: Cell<Fault | readonly Fault[]>
  /** The request itself is at fault. */
  request: Cell<Fault | readonly Fault[]>
  /** The vendor's rate limit is exceeded. */
  rate: Cell<Fault | readonly Fault[]>
  /** The vendor fails or is overloaded. */
  failure: Cell<Fault | readonly Fault[]>
}

/** How a vendor writes a stream: events and `[DONE]`, events with names, events alone, or Amazon's frames. */
export type Framing = 'done' | 'named' | 'bare' | 'frames'

/** What has to be shown for every kind with chats, each cell with bytes of its vendor's wire format. */
export interface ChatRow {
  upstreamModel: string
  /** The path of a chat, and the path of a streamed one if it differs. */
  path: string
  streamPath?: string
  /** The header that carries the credential `SECRET`. */
  credential: readonly [header: string, value: string]
  framing: Framing
  text: Cell<readonly ExpectedAnswer[]>
  stream: Cell<readonly ExpectedAnswer[]>
  tools: Cell<readonly ExpectedAnswer[]>
  toolStream: Cell<readonly ExpectedAnswer[]>
  cached: Cell<readonly ExpectedAnswer[]>
  reasoning: Cell<readonly ExpectedAnswer[]>
  faults: Faults
  /** Events of a stream that fails with an error after its first words. */
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
  more: Omit<ExpectedAnswer, 'bytes' | 'used' | 'finish'>,
  finish?: ExpectedAnswer['finish'],
) =>
  ({ bytes: { recorded: file }, used, finish: finish ?? (more.calls ? 'tool_calls' : 'stop'), ...more }) satisfies ExpectedAnswer

/** Whether the bytes are a stream. */
export const isStream = (bytes: Recorded | Written): boolean =>
  'recorded' in bytes ? bytes.recorded.endsWith('.txt') : Array.isArray(bytes.written)
