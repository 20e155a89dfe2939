import type { MaybePromise } from '../../domain/maybe-promise.ts'
import { MemoryLimiter, waitSecondsOf } from '../memory-limiter.ts'
import type { Counts } from './counts.ts'
import type { Amounts, TakeAnswer } from './counts-protocol.ts'
import type { LimiterPort, LimitState, MinuteLimits } from './ports.ts'
import type { SharedCountsClient } from './shared-counts-client.ts'

interface Waiter {
  tokens: number
  resolve(state: LimitState): void
}

/** What this process holds of one key's minute. */
interface Lease {
  limits: MinuteLimits
  window: string | null
  /** By the clock of this process, measured from before the minute was asked about, so never later than the real end. */
  endsMs: number
  /** What may be admitted here without asking. Below zero, it is what was used beyond what was asked for. */
  left: Amounts
  /** The last block. If there is none, every request is asked for. */
  block: Amounts
  /** Counted in the shared minute when last reported, blocks of all processes included. */
  used: Amounts
  waiters: Waiter[]
  asking: boolean
  /** Whether anything was taken from it since the last check for idle leases. */
  busy: boolean
  /** What is left was leased under different limits: it goes back before anybody is admitted. */
  outdated: boolean
}

/** Names a minute that only this process knows of. */
const LOCAL_WINDOW = 'alone'

const noAmounts = (): Amounts => ({ requests: 0, tokens: 0 })

/**
 * Limits that hold across processes. Each process leases blocks of a key's minute, small compared to what is free, and admits
 * requests from them in memory. When little is free, every request is asked for, so that exactly as many pass as the limit
 * allows. What lies idle goes back within a quarter of a second. While the shared counts are out of reach, each process
 * admits its own share of the limit, and of what was left of the minute.
 */
export class LeasedLimiter implements LimiterPort {
  readonly #countsClient: SharedCountsClient
  readonly #ticks: () => number
  /** The counts of this process alone, for when the shared ones are lost. */
  readonly #localCounts: Counts
  readonly #localLimiter: MemoryLimiter
  readonly #leases = new Map<string, Lease>()
  /** Addresses that must wait, and until when. Nothing is asked about them meanwhile. */
  readonly #blockedUntilMs = new Map<string, number>()

  constructor(options: { countsClient: SharedCountsClient; ticks: () => number; localCounts: Counts }) {
    this.#countsClient = options.countsClient
    this.#ticks = options.ticks
    this.#localCounts = options.localCounts
    this.#localLimiter = new MemoryLimiter(options.localCounts)
    this.#countsClient.onRestored(() => this.#reportDebts())
  }

  take(key: string, limits: MinuteLimits, tokens: number): MaybePromise<LimitState> {
    const lease = this.#lease(key, limits)
    if (lease.limits.rpm !== limits.rpm || lease.limits.tpm !== limits.tpm) {
      lease.limits = limits
      lease.outdated = true
    }
    if (lease.waiters.length === 0 && this.#fits(lease, tokens)) {
      const state = this.#admit(lease, tokens)
      if (!lease.asking && isLow(lease)) void this.#ask(key, lease)
      return state
    }
    if (!this.#countsClient.reachable) return this.#takeLocally(key, lease, tokens)
    return new Promise((resolve) => {
      lease.waiters.push({ tokens, resolve })
      if (!lease.asking) void this.#ask(key, lease)
    })
  }

  correct(key: string, limits: MinuteLimits, tokens: number): void {
    const lease = this.#lease(key, limits)
    // Unused tokens of a minute that is over must not be added to the next one.
    if (tokens < 0 && lease.window === null) return
    if (!this.#countsClient.reachable) this.#localLimiter.correct(key, limits, tokens)
    if (!this.#countsClient.reachable && lease.window === null) return
    lease.left.tokens -= tokens
    lease.busy = true
    if (!this.#countsClient.reachable) return
    const owes = lease.left.tokens < 0 || (lease.block.requests === 0 && lease.left.tokens > 0)
    if (owes && !lease.asking) void this.#ask(key, lease)
  }

  strike(address: string): MaybePromise<number> {
    return this.#waitSecondsFor(address, 1)
  }

  blockedSeconds(address: string): MaybePromise<number> {
    return this.#waitSecondsFor(address, 0)
  }

  /** Gives back what has been idle since the last call, and forgets minutes that are over. Called four times a second. */
  tick(): void {
    const now = this.#ticks()
    for (const [key, lease] of this.#leases) {
      const idle = !lease.busy
      lease.busy = false
      if (lease.asking || lease.waiters.length > 0) continue
      if (now >= lease.endsMs) this.#leases.delete(key)
      else if (idle && this.#countsClient.reachable && (lease.left.requests !== 0 || lease.left.tokens !== 0))
        void this.#returnIdle(key, lease)
    }
    for (const [address, untilMs] of this.#blockedUntilMs) if (untilMs <= now) this.#blockedUntilMs.delete(address)
    this.#localCounts.sweep()
  }

  async #waitSecondsFor(address: string, count: 0 | 1): Promise<number> {
    const now = this.#ticks()
    const untilMs = this.#blockedUntilMs.get(address)
    if (untilMs !== undefined && untilMs > now) return Math.max(1, Math.ceil((untilMs - now) / 1000))
    const answer = await this.#countsClient.ask({ kind: 'strike', address, count })
    if (answer === null) return count === 1 ? this.#localLimiter.strike(address) : this.#localLimiter.blockedSeconds(address)
    const waitS = waitSecondsOf(answer)
    if (waitS > 0) this.#blockedUntilMs.set(address, now + answer.endsInMs)
    return waitS
  }

  #lease(key: string, limits: MinuteLimits): Lease {
    let lease = this.#leases.get(key)
    if (!lease) {
      lease = {
        limits,
        window: null,
        endsMs: Number.NEGATIVE_INFINITY,
        left: noAmounts(),
        block: noAmounts(),
        used: noAmounts(),
        waiters: [],
        asking: false,
        busy: true,
        outdated: false,
      }
      this.#leases.set(key, lease)
    }
    if (lease.window !== null && this.#ticks() >= lease.endsMs) {
      // What is left, or owed, ends with its minute.
      lease.window = null
      lease.left = noAmounts()
      lease.used = noAmounts()
      lease.block = noAmounts()
    }
    return lease
  }

  #fits(lease: Lease, tokens: number): boolean {
    return !lease.outdated && lease.window !== null && lease.left.requests >= 1 && lease.left.tokens >= tokens
  }

  #admit(lease: Lease, tokens: number): LimitState {
    lease.left.requests -= 1
    lease.left.tokens -= tokens
    lease.busy = true
    return this.#state(lease, null)
  }

  #state({ limits, used, left, endsMs }: Lease, full: LimitState['full']): LimitState {
    const resetMs = Math.max(0, endsMs - this.#ticks())
    return {
      requests: { limit: limits.rpm, remaining: limits.rpm - used.requests + left.requests, resetMs },
      tokens: { limit: limits.tpm, remaining: limits.tpm - used.tokens + left.tokens, resetMs },
      full,
    }
  }

  /** Asks on behalf of waiting requests, for as long as any wait. One message at a time per key. */
  async #ask(key: string, lease: Lease): Promise<void> {
    lease.asking = true
    do {
      this.#admitWaiting(key, lease)
      const waiters = lease.waiters.splice(0)
      // While a block is on its way, what is left may still be used. If requests wait, everything is given back, and all of
      // them are asked for.
      const back = waiters.length > 0 || lease.block.requests === 0 ? lease.left : debtOf(lease.left)
      addToLease(lease, { requests: -back.requests, tokens: -back.tokens })
      lease.outdated = false
      const askedAt = this.#ticks()
      const { limits, window } = lease
      const tokens = waiters.map((waiter) => waiter.tokens)
      const answer = await this.#countsClient.ask({ kind: 'take', key, ...limits, tokens, window, back, block: true })
      if (answer) this.#applyAnswer(lease, answer, askedAt)
      else addToLease(lease, debtOf(back))
      for (const [at, { tokens: wanted, resolve }] of waiters.entries())
        resolve(answer ? this.#state(lease, answer.full[at] ?? null) : this.#takeLocally(key, lease, wanted))
    } while (lease.waiters.length > 0)
    lease.asking = false
  }

  /** Admits requests that arrived while an ask was in flight, if its block has room for them. */
  #admitWaiting(key: string, lease: Lease): void {
    this.#lease(key, lease.limits)
    for (let first = lease.waiters[0]; first && this.#fits(lease, first.tokens); first = lease.waiters[0]) {
      lease.waiters.shift()
      first.resolve(this.#admit(lease, first.tokens))
    }
  }

  #applyAnswer(lease: Lease, answer: TakeAnswer, askedAt: number): void {
    // A new minute has begun in the shared counts: what is still left here belongs to the old one.
    if (answer.window !== lease.window) lease.left = debtOf(lease.left)
    lease.window = answer.window
    lease.endsMs = askedAt + answer.endsInMs
    lease.used = answer.used
    lease.block = answer.block
    addToLease(lease, answer.block)
  }

  async #returnIdle(key: string, lease: Lease): Promise<void> {
    lease.asking = true
    const { limits, window, left } = lease
    lease.left = noAmounts()
    lease.block = noAmounts()
    const askedAt = this.#ticks()
    const answer = await this.#countsClient.ask({ kind: 'take', key, ...limits, tokens: [], window, back: left, block: false })
    if (answer) this.#applyAnswer(lease, answer, askedAt)
    else addToLease(lease, debtOf(left))
    lease.asking = false
    if (lease.waiters.length > 0) await this.#ask(key, lease)
  }

  /** Admits from this process's share of the limit, and of what was free in this minute when last reported. */
  #takeLocally(key: string, lease: Lease, tokens: number): LimitState {
    const { limits, used } = lease
    const sharers = this.#countsClient.sharers
    const share = { rpm: shareOf(limits.rpm, sharers), tpm: shareOf(limits.tpm, sharers) }
    if (lease.window !== null)
      this.#localCounts.begin(
        key,
        {
          requests: share.rpm - Math.floor(Math.max(0, limits.rpm - used.requests) / sharers),
          tokens: share.tpm - Math.floor(Math.max(0, limits.tpm - used.tokens) / sharers),
        },
        lease.endsMs - this.#ticks(),
      )
    const state = this.#localLimiter.take(key, share, tokens)
    if (lease.window === null) {
      lease.window = LOCAL_WINDOW
      lease.endsMs = this.#ticks() + state.requests.resetMs
    }
    // Owed to the shared minute, if that is reachable again before this one ends.
    if (state.full === null) addToLease(lease, { requests: -1, tokens: -tokens })
    lease.busy = true
    return state
  }

  /** Reports what was admitted alone. The next time alone begins with what is free then. */
  #reportDebts(): void {
    this.#localCounts.clear()
    for (const [key, lease] of this.#leases)
      if (!lease.asking && (lease.left.requests < 0 || lease.left.tokens < 0)) void this.#ask(key, lease)
  }
}

/** Adds to what is left of a lease. What may have been given back by an ask whose answer was lost is never added again. */
function addToLease(lease: Lease, { requests, tokens }: Amounts): void {
  lease.left = { requests: lease.left.requests + requests, tokens: lease.left.tokens + tokens }
}

const debtOf = (left: Amounts): Amounts => ({ requests: Math.min(0, left.requests), tokens: Math.min(0, left.tokens) })

const shareOf = (amount: number, sharers: number): number => Math.max(1, Math.floor(amount / sharers))

/** Whether less than a quarter of a block is left. */
function isLow({ block, left }: Lease): boolean {
  return block.requests > 0 && (left.requests * 4 < block.requests || left.tokens * 4 < block.tokens)
}
