import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import type { Caller } from '../domain/catalog.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import { findCaller } from './key-store.ts'

const CALLER_TTL_MS = 60_000
const INVALID_TTL_MS = 5_000
const VALID_TTL_MS = 3_600_000
/** How many look-ups a second there may be for addresses that have sent too many wrong keys, in all. */
const SPARING_LOOKUPS = 10

/** Remembers callers by their secret, and for a short while which secrets are not valid. Both caches are bounded. */
export class CallerCache {
  readonly #pool: pg.Pool
  readonly #hash: (secret: string) => Buffer
  readonly #callers = new LRUCache<string, Caller>({ max: 20_000, ttl: CALLER_TTL_MS })
  readonly #invalid = new LRUCache<string, true>({ max: 10_000, ttl: INVALID_TTL_MS })
  /** Secrets that belonged to a caller at the last look-up. They stay while they are used, even if the caller is forgotten. */
  readonly #recentlyValid = new LRUCache<string, true>({ max: 20_000, ttl: VALID_TTL_MS, updateAgeOnGet: true })
  readonly #lookups = new Map<string, Promise<Caller | null>>()
  #invalidations = 0
  /** The second that look-ups for such addresses are counted in, and how many there were. */
  #sparing = { second: 0, count: 0 }

  constructor(options: { pool: pg.Pool; hash: (secret: string) => Buffer }) {
    this.#pool = options.pool
    this.#hash = options.hash
  }

  /** Whether a secret was valid recently. What it may do still has to be looked up. */
  isKnown(secret: string): boolean {
    return this.#recentlyValid.get(secret) ?? false
  }

  /** The caller of a secret, immediately if it is known. Concurrent calls for a secret share one look-up. */
  find(secret: string): MaybePromise<Caller | null> {
    const known = this.#callers.get(secret)
    if (known) return known
    if (this.#invalid.has(secret)) return null
    let lookup = this.#lookups.get(secret)
    if (!lookup) {
      lookup = this.#lookUp(secret).finally(() => this.#lookups.delete(secret))
      this.#lookups.set(secret, lookup)
    }
    return lookup
  }

  /**
   * The same for a sender who is not trusted: undefined if it would take a look-up and there were too many of those. Without any,
   * a key that was not used here before would be refused for as long as somebody else behind the same address sends wrong ones.
   */
  findSparingly(secret: string): MaybePromise<Caller | null> | undefined {
    if (this.#callers.has(secret) || this.#invalid.has(secret) || this.#lookups.has(secret)) return this.find(secret)
    const second = Math.floor(performance.now() / 1000)
    if (this.#sparing.second !== second) this.#sparing = { second, count: 0 }
    return this.#sparing.count++ < SPARING_LOOKUPS ? this.find(secret) : undefined
  }

  /** Forgets what a change affected: a key, an account, or everything for any other topic. */
  invalidate(topic: string, ref: string): void {
    this.#invalidations++
    this.#invalid.clear()
    for (const [secret, caller] of this.#callers)
      if (topic === 'key' ? caller.keyId === ref : topic === 'account' ? caller.accountId === ref : true)
        this.#callers.delete(secret)
  }

  async #lookUp(secret: string): Promise<Caller | null> {
    const invalidationsBefore = this.#invalidations
    const caller = await findCaller(this.#pool, this.#hash(secret))
    if (caller && !caller.revoked) this.#recentlyValid.set(secret, true)
    else this.#recentlyValid.delete(secret)
    // The result may be older than a change that was announced during the look-up.
    if (invalidationsBefore === this.#invalidations) {
      if (caller) this.#callers.set(secret, caller)
      else this.#invalid.set(secret, true)
    }
    return caller
  }
}
