/** What a request takes from its key's minute: one request, and roughly this many tokens. */
export interface Amounts {
  requests: number
  tokens: number
}

/**
 * Asks for requests of one key, and for a block beyond them that the asking process may admit from by itself. `back` is what
 * it returns of the block it had (of the minute `window`); below zero, it is what it used beyond that block.
 */
export interface TakeAsk {
  kind: 'take'
  key: string
  rpm: number
  tpm: number
  /** The tokens of each waiting request, in order. */
  tokens: number[]
  window: string | null
  back: Amounts
  /** Whether it wants a block. */
  block: boolean
}

export interface TakeAnswer {
  /** Names the minute; each minute has a different name. */
  window: string
  endsInMs: number
  /** Counted against the key in this minute, blocks of all processes included. */
  used: Amounts
  /** For each waiting request: what is full, or null if it may go. */
  full: ('requests' | 'tokens' | null)[]
  block: Amounts
}

/** Counts failed authentications of an address; with `count` 0 it only looks. */
export interface StrikeAsk {
  kind: 'strike'
  address: string
  count: 0 | 1
}

export interface StrikeAnswer {
  strikes: number
  endsInMs: number
}

/** Asks for `need` places of a key in addition to those of its requests that already run in this process. */
export interface EnterAsk {
  kind: 'enter'
  key: string
  most: number
  running: number
  need: number
  block: boolean
}

export interface EnterAnswer {
  granted: number
  /** Places that the process may fill by itself. */
  block: number
}

export type CountsAsk = TakeAsk | StrikeAsk | EnterAsk
export type CountsAnswer = TakeAnswer | StrikeAnswer | EnterAnswer
export type AnswerTo<A extends CountsAsk> = A extends TakeAsk ? TakeAnswer : A extends StrikeAsk ? StrikeAnswer : EnterAnswer

/** The counts that processes share, in the memory of the cluster's primary or in Redis. */
export interface SharedCounts {
  /** Answers in the order of the asks. `sharers` is the number of processes. */
  send(asks: CountsAsk[]): Promise<{ sharers: number; answers: CountsAnswer[] }>
}

/**
 * A block is this fraction (1/n) of what is free, divided by the number of processes, which bounds what may lie idle in the
 * others.
 */
export const BLOCK_DIVISOR = 16
/** A smaller block is not worth having. Every request is asked for then, and the limit is exact to the last one. */
export const MIN_BLOCK = 8

/** The length of a minute window. */
export const WINDOW_MS = 60_000
