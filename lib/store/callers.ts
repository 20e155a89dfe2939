import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import type { Caller } from '../domain/catalog.ts'
import type { Soon } from '../domain/soon.ts'
import { findCaller } from './key-store.ts'

const KNOWN_MS = 60_000
const UNKNOWN_MS = 5_000
const GOOD_MS = 3_600_000

/** Remembers callers by their secret, and for a short while which secrets are not valid. Both caches are bounded. */
export class Callers {
  readonly #pool: pg.Pool
  readonly #hash: (secret: string) => Buffer
  readonly #known = new LRUCache<string, Caller>({ max: 20_000, ttl: KNOWN_MS })
  readonly #unknown = new LRUCache<string, true>({ max: 10_000, ttl: UNKNOWN_MS })
  /** Secrets that belonged to a caller at the last look-up. They stay while they are used, even if the caller is forgotten. */
  readonly #good = new LRUCache<string, true>({ max: 20_000, ttl: GOOD_MS, updateAgeOnGet: true })
  readonly #looking = new Map<string, Promise<Caller | null>>()
  #forgotten = 0

  constructor(options: { pool: pg.Pool; hash: (secret: string) => Buffer }) {
    this.#pool = options.pool
    this.#hash = options.hash
  }

  /** Whether a secret was valid recently. What it may do still has to be looked up. */
  isKnown(secret: string): boolean {
    return this.#good.get(secret) ?? false
  }

  /** The caller of a secret, immediately if it is known. Concurrent calls for a secret share one look-up. */
  find(secret: string): Soon<Caller | null> {
    const known = this.#known.get(secret)
    if (known) return known
    if (this.#unknown.has(secret)) return null
    let looking = this.#looking.get(secret)
    if (!looking) {
      looking = this.#look(secret).finally(() => this.#looking.delete(secret))
      this.#looking.set(secret, looking)
    }
    return looking
  }

  /** Forgets what a change affected: a key, an account, or everything for any other topic. */
  forget(topic: string, ref: string): void {
    this.#forgotten++
    this.#unknown.clear()
    for (const [secret, caller] of this.#known)
      if (topic === 'key' ? caller.keyId === ref : topic === 'account' ? caller.accountId === ref : true)
        this.#known.delete(secret)
  }

  async #look(secret: string): Promise<Caller | null> {
    const before = this.#forgotten
    const caller = await findCaller(this.#pool, this.#hash(secret))
    if (caller && !caller.revoked) this.#good.set(secret, true)
    else this.#good.delete(secret)
    // The result may be older than a change that was announced during the look-up.
    if (before === this.#forgotten) {
      if (caller) this.#known.set(secret, caller)
      else this.#unknown.set(secret, true)
    }
    return caller
  }
}
