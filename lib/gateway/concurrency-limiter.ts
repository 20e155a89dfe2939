import type { Caller } from '../domain/catalog.ts'
import { Refusal } from '../domain/errors.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import { RunningCounts } from '../domain/running-counts.ts'
import type { KeyCapacityPort } from './limits/ports.ts'

/** Counts the places of each key, or of each account, in this process. */
export class LocalCapacity implements KeyCapacityPort {
  readonly #max: () => number
  readonly #running = new RunningCounts()

  constructor(max: () => number) {
    this.#max = max
  }

  take(id: string): boolean {
    if (this.#running.of(id) >= this.#max()) return false
    this.#running.begin(id)
    return true
  }

  release(id: string): void {
    this.#running.end(id)
  }
}

/**
 * How many requests may be in flight: for a key, and for an account in this process. Asked at each request, because they may
 * change.
 */
export interface ConcurrencyLimits {
  ofKey(): number
  ofAccount(): number
}

/** Lets the requests of keys in and out: a limited number at once for each key and, in this process, for each account. */
export class ConcurrencyLimiter {
  readonly #limits: ConcurrencyLimits
  readonly #keys: KeyCapacityPort
  /** For this process alone, because accounts compete for its own room for requests. */
  readonly #accounts: LocalCapacity
  #running = 0

  constructor(options: { limits: ConcurrencyLimits; keys?: KeyCapacityPort }) {
    const { limits } = options
    this.#limits = limits
    this.#keys = options.keys ?? new LocalCapacity(() => limits.ofKey())
    this.#accounts = new LocalCapacity(() => limits.ofAccount())
  }

  /** Resolves when nothing is in flight any more, or after `ms`. Returns whether nothing is. */
  async waitUntilDrained(ms: number): Promise<boolean> {
    const until = performance.now() + ms
    while (this.#running > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 25))
    return this.#running === 0
  }

  /**
   * Lets a request in, or refuses it if its account or its key has too many in flight. Returns the function that lets it out;
   * only its first call counts.
   */
  enter(of: Pick<Caller, 'accountId' | 'keyId'>): MaybePromise<() => void> {
    if (!this.#accounts.take(of.accountId))
      throw tooMany(`This account has ${this.#limits.ofAccount()} requests in progress here`)
    const hasCapacity = this.#keys.take(of.keyId)
    return typeof hasCapacity === 'boolean'
      ? this.#admit(of, hasCapacity)
      : hasCapacity.then((granted) => this.#admit(of, granted))
  }

  #admit({ accountId, keyId }: Pick<Caller, 'accountId' | 'keyId'>, hasCapacity: boolean): () => void {
    if (!hasCapacity) {
      this.#accounts.release(accountId)
      throw tooMany(`This key has ${this.#limits.ofKey()} requests in progress`)
    }
    this.#running++
    let inside = true
    return () => {
      if (!inside) return
      inside = false
      this.#running--
      this.#keys.release(keyId)
      this.#accounts.release(accountId)
    }
  }
}

const tooMany = (what: string): Refusal =>
  new Refusal('too_many_requests', `${what}, the most that it can have. Wait until some finish.`, { retryAfter: 1 })
