import type { Deployment } from '../../domain/catalog.ts'
import type { MaybePromise } from '../../domain/maybe-promise.ts'

// Requests and tokens per minute, of keys and of deployments, and the places of a key.

export interface Quota {
  limit: number
  remaining: number
  /** Milliseconds until the window starts again. */
  resetMs: number
}

/** Requests and tokens per minute. */
export interface MinuteLimits {
  rpm: number
  tpm: number
}

/** A limiter's answer: the state of both windows, and which one is full. */
export interface LimitState {
  requests: Quota
  tokens: Quota
  full: 'requests' | 'tokens' | null
}

/** Returns no promise if the answer is in memory, because every request waits for it. */
export interface LimiterPort {
  /** Counts one request with about `tokens` tokens against a key. */
  take(key: string, limits: MinuteLimits, tokens: number): MaybePromise<LimitState>
  /** Corrects the tokens of a request once they are known. */
  correct(key: string, limits: MinuteLimits, tokens: number): void
  /** Counts a failed authentication. Returns the seconds to wait, or 0. */
  strike(address: string): MaybePromise<number>
  /** Seconds to wait before this address may try again, or 0. */
  blockedSeconds(address: string): MaybePromise<number>
}

/** Roughly how many tokens a call takes: its input, and the most that its output can have. */
export interface CallSize {
  input: number
  output: number
}

/** Called only if a deployment has limits per minute. */
export type SizeOf = () => CallSize

/** What a call took from its deployment's minute, until its usage is known. */
export interface CountedCall {
  /** The vendor is called this many times at once, and each call is a request to it. */
  countRequests(times: number): void
  /** The call used this many tokens. Only the first report counts. */
  correctTokens(tokens: number): void
}

/** The result of counting a call: a counted call, or no room for it. */
export type CountResult = CountedCall | 'full'

/** Counts calls against the per-minute limits of their deployments. Asked only about deployments that have some. */
export interface RatesPort {
  /** Whether the minute of a deployment is known to have no room for such a call. */
  isFull(deployment: Deployment, sizeOf: SizeOf, nowMs: number): boolean
  /** Milliseconds until the minute of a deployment that had no room for such a call ends; 0 if it had room. */
  waitMs(deployment: Deployment, sizeOf: SizeOf, nowMs: number): number
  /** Counts a call if there is room for it. Returns no promise if the answer is in memory. */
  take(deployment: Deployment, sizeOf: SizeOf): MaybePromise<CountResult>
}

/** Counts the places of keys. */
export interface KeyCapacityPort {
  /** Takes a place of this key; false if all are taken. */
  take(keyId: string): MaybePromise<boolean>
  release(keyId: string): void
}
