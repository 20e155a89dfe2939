import type { Deployment } from '../../domain/catalog.ts'
import type { Soon } from '../../domain/soon.ts'

// Requests and tokens a minute, of keys and of deployments, and the places of a key.

export interface Quota {
  limit: number
  remaining: number
  /** Milliseconds until the window starts anew. */
  resetMs: number
}

/** Requests and tokens a minute. */
export interface MinuteLimits {
  rpm: number
  tpm: number
}

/** What a limiter says: the state of both windows, and which one is full. */
export interface LimitState {
  requests: Quota
  tokens: Quota
  full: 'requests' | 'tokens' | null
}

/** No promise where the answer is in memory: this is on the way of every request. */
export interface LimiterPort {
  /** Counts one request with about `tokens` tokens against a key. */
  take(key: string, limits: MinuteLimits, tokens: number): Soon<LimitState>
  /** Corrects the tokens of a request once they are known. */
  correct(key: string, limits: MinuteLimits, tokens: number): void
  /** Counts a failed authentication; seconds to wait, or 0. */
  strike(address: string): Soon<number>
  /** Seconds to wait before this address may try again, or 0. */
  struck(address: string): Soon<number>
}

/** About how many tokens a call takes: what goes into it, and the most that may come out of it. */
export interface CallSize {
  input: number
  output: number
}

/** Asked only where a deployment has limits of a minute. */
export type SizeOf = () => CallSize

/** What a call took of its deployment's minute, until it is known what it used. */
export interface Counted {
  /** The vendor is asked so many times at once: each of them is a request to it. */
  asked(times: number): void
  /** The call used so many tokens. Only the first time counts. */
  used(tokens: number): void
}

/** What counting a call came to: one that is counted, or no room for it. */
export type Taken = Counted | 'full'

/** Counts calls against the limits of a minute of their deployments. Asked only about deployments that have some. */
export interface RatesPort {
  /** Whether the minute of a deployment is known to have no room for such a call. */
  full(deployment: Deployment, sizeOf: SizeOf, nowMs: number): boolean
  /** Milliseconds until the minute of a deployment that had no room for such a call is over; 0 where it had. */
  waitMs(deployment: Deployment, sizeOf: SizeOf, nowMs: number): number
  /** Counts a call, where there is room for it. No promise where the answer is in memory. */
  take(deployment: Deployment, sizeOf: SizeOf): Soon<Taken>
}

/** Where the places of a key are counted. */
export interface RoomPort {
  /** Takes a place of this key; false where all are taken. */
  take(keyId: string): Soon<boolean>
  give(keyId: string): void
}
