import { LRUCache } from 'lru-cache'
import {
  type Amounts,
  type AnswerTo,
  BLOCK_DIVISOR,
  type CountsAnswer,
  type CountsAsk,
  type EnterAnswer,
  type EnterAsk,
  MIN_BLOCK,
  type StrikeAnswer,
  type StrikeAsk,
  type TakeAnswer,
  type TakeAsk,
  WINDOW_MS,
} from './counts-protocol.ts'
import type { MinuteLimits } from './ports.ts'

interface Window {
  id: string
  used: Amounts
  endsMs: number
}

/** The most addresses that are remembered. Beyond it the oldest is dropped. */
const MAX_ADDRESSES = 100_000

/**
 * Counts in the memory of one process: for itself or, in a cluster's primary, for all its workers. A key's minute begins with
 * its first request. lib/host/redis-counts.ts does the same in Redis, and passes the same tests.
 */
export class Counts {
  readonly #ticks: () => number
  readonly #windows = new Map<string, Window>()
  readonly #strikes: LRUCache<string, { count: number; endsMs: number }>
  /** Key, process, places. */
  readonly #places = new Map<string, Map<string, number>>()
  #lastId = 0

  constructor(options: { ticks: () => number }) {
    this.#ticks = options.ticks
    this.#strikes = new LRUCache({ max: MAX_ADDRESSES })
  }

  answer<A extends CountsAsk>(ask: A, sharers: number, process: string): AnswerTo<A>
  answer(ask: CountsAsk, sharers: number, process: string): CountsAnswer {
    if (ask.kind === 'take') return this.take(ask, sharers)
    return ask.kind === 'strike' ? this.strike(ask) : this.enter(ask, sharers, process)
  }

  take(ask: TakeAsk, sharers: number): TakeAnswer {
    const now = this.#ticks()
    const window = this.#window(ask.key, now)
    const { used } = window
    // What is given back belongs to its own minute; what was used in excess counts in any.
    const sameWindow = ask.window === window.id
    used.requests = Math.max(0, used.requests - (sameWindow ? ask.back.requests : Math.min(0, ask.back.requests)))
    used.tokens = Math.max(0, used.tokens - (sameWindow ? ask.back.tokens : Math.min(0, ask.back.tokens)))
    const full = ask.tokens.map((tokens) => countOne(used, ask, tokens))
    const block = ask.block ? blockOf(ask, used, sharers) : { requests: 0, tokens: 0 }
    used.requests += block.requests
    used.tokens += block.tokens
    return { window: window.id, endsInMs: window.endsMs - now, used: { ...used }, full, block }
  }

  /** Adds this many tokens (or, below zero, removes them) to the minute of a key. */
  correct(key: string, tokens: number): void {
    const { used } = this.#window(key, this.#ticks())
    used.tokens = Math.max(0, used.tokens + tokens)
  }

  strike({ address, count }: StrikeAsk): StrikeAnswer {
    const now = this.#ticks()
    let found = this.#strikes.get(address)
    if (!found || found.endsMs <= now) {
      if (count === 0) return { strikes: 0, endsInMs: 0 }
      found = { count: 0, endsMs: now + WINDOW_MS }
      this.#strikes.set(address, found)
    }
    found.count += count
    return { strikes: found.count, endsInMs: found.endsMs - now }
  }

  enter({ key, most, running, need, block }: EnterAsk, sharers: number, process: string): EnterAnswer {
    const holders = this.#places.get(key) ?? new Map<string, number>()
    holders.set(process, 0)
    const free = most - running - [...holders.values()].reduce((sum, count) => sum + count, 0)
    const granted = Math.max(0, Math.min(need, free))
    const share = block && need > 0 ? Math.floor((free - granted) / (BLOCK_DIVISOR * sharers)) : 0
    const extra = share < MIN_BLOCK ? 0 : share
    const held = running + granted + extra
    if (held > 0) holders.set(process, held)
    else holders.delete(process)
    if (holders.size > 0) this.#places.set(key, holders)
    else this.#places.delete(key)
    return { granted, block: extra }
  }

  /** Forgets everything that a process held, because it is gone. */
  forget(process: string): void {
    for (const [key, holders] of this.#places) {
      holders.delete(process)
      if (holders.size === 0) this.#places.delete(key)
    }
  }

  /** Begins a key's minute with this much of it already used, unless one is running. */
  begin(key: string, used: Amounts, endsInMs: number): void {
    const now = this.#ticks()
    const found = this.#windows.get(key)
    if (found && found.endsMs > now) return
    this.#windows.set(key, { id: this.#newId(), used: { ...used }, endsMs: now + endsInMs })
  }

  /** Forgets the minutes of all keys. */
  clear(): void {
    this.#windows.clear()
  }

  /** Drops minutes that have ended. */
  sweep(): void {
    const now = this.#ticks()
    for (const [key, window] of this.#windows) if (window.endsMs <= now) this.#windows.delete(key)
  }

  #window(key: string, now: number): Window {
    let window = this.#windows.get(key)
    if (!window || window.endsMs <= now) {
      window = { id: this.#newId(), used: { requests: 0, tokens: 0 }, endsMs: now + WINDOW_MS }
      this.#windows.set(key, window)
    }
    return window
  }

  #newId(): string {
    this.#lastId++
    return String(this.#lastId)
  }
}

/** Counts one request, or returns what is full. A request that alone exceeds the token limit may go if no tokens are used yet. */
function countOne(used: Amounts, limits: MinuteLimits, tokens: number): 'requests' | 'tokens' | null {
  if (used.requests + 1 > limits.rpm) return 'requests'
  if (used.tokens + tokens > limits.tpm && used.tokens > 0) return 'tokens'
  used.requests += 1
  used.tokens += tokens
  return null
}

function blockOf(ask: TakeAsk, used: Amounts, sharers: number): Amounts {
  const requests = Math.floor((ask.rpm - used.requests) / (BLOCK_DIVISOR * sharers))
  const tokens = Math.floor((ask.tpm - used.tokens) / (BLOCK_DIVISOR * sharers))
  // Requests without tokens, or too few of either, would only lie idle here while another process needs them.
  return requests < MIN_BLOCK || tokens < MIN_BLOCK * Math.max(1, ...ask.tokens)
    ? { requests: 0, tokens: 0 }
    : { requests, tokens }
}
