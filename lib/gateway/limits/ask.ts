/** What a request takes from the minute of its key: one request, and about so many tokens. */
export interface Amounts {
  requests: number
  tokens: number
}

/**
 * Asks for requests of one key, and for a block beyond them out of which the asking process may admit by itself.
 * `back` is what it gives back of the block it had (of the minute `window`); below zero it is what it used beyond it.
 */
export interface TakeAsk {
  kind: 'take'
  key: string
  rpm: number
  tpm: number
  /** The tokens of each request that waits, in order. */
  tokens: number[]
  window: string | null
  back: Amounts
  /** Whether it wants a block. */
  block: boolean
}

export interface TakeAnswer {
  /** Names the minute; another one is another name. */
  window: string
  endsInMs: number
  /** Counted against the key in this minute, blocks of all processes included. */
  used: Amounts
  /** For each request that waited: what is full, or null where it may go. */
  full: ('requests' | 'tokens' | null)[]
  block: Amounts
}

/** Counts failed authentications of an address; none with `count` 0. */
export interface StrikeAsk {
  kind: 'strike'
  address: string
  count: 0 | 1
}

export interface StrikeAnswer {
  strikes: number
  endsInMs: number
}

/** Asks for `need` places of a key beside those of its requests that run in this process. */
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

export type Ask = TakeAsk | StrikeAsk | EnterAsk
export type Answer = TakeAnswer | StrikeAnswer | EnterAnswer
export type AnswerTo<A extends Ask> = A extends TakeAsk ? TakeAnswer : A extends StrikeAsk ? StrikeAnswer : EnterAnswer

/** The counts that processes share: in the memory of the cluster's primary, or in Redis. */
export interface SharedCounts {
  /** Answers in the order of the asks. `sharers` is how many processes there are. */
  send(asks: Ask[]): Promise<{ sharers: number; answers: Answer[] }>
}

/** A block is this part of what is free, divided by the processes: what may lie idle in others is at most that much. */
export const BLOCK_PARTS = 16
/** A block of fewer is not worth having; every request is asked for, and the limit is exact to the last one. */
export const LEAST_BLOCK = 8

/** How long a minute is. */
export const WINDOW_MS = 60_000
