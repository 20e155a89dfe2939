import type { Caller } from '../domain/catalog.ts'
import { Refusal } from '../domain/errors.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import type { RoomPort } from './limits/ports.ts'

/** Counts the places of each key, or of each account, in this process. */
export class LocalRoom implements RoomPort {
  readonly #most: () => number
  readonly #running = new Map<string, number>()

  constructor(most: () => number) {
    this.#most = most
  }

  take(id: string): boolean {
    const count = this.#running.get(id) ?? 0
    if (count >= this.#most()) return false
    this.#running.set(id, count + 1)
    return true
  }

  give(id: string): void {
    const left = (this.#running.get(id) ?? 1) - 1
    if (left > 0) this.#running.set(id, left)
    else this.#running.delete(id)
  }
}

/**
 * How many requests may be in flight: for a key, and for an account in this process. Asked at each request, because they may
 * change.
 */
export interface MostUnderWay {
  ofKey(): number
  ofAccount(): number
}

/** Lets the requests of keys in and out: a limited number at once for each key and, in this process, for each account. */
export class Places {
  readonly #most: MostUnderWay
  readonly #keys: RoomPort
  /** For this process alone, because accounts compete for its own room for requests. */
  readonly #accounts: LocalRoom
  #running = 0

  constructor(options: { most: MostUnderWay; keys?: RoomPort }) {
    const { most } = options
    this.#most = most
    this.#keys = options.keys ?? new LocalRoom(() => most.ofKey())
    this.#accounts = new LocalRoom(() => most.ofAccount())
  }

  /** Resolves when nothing is in flight any more, or after `ms`. Returns whether nothing is. */
  async drained(ms: number): Promise<boolean> {
    const until = performance.now() + ms
    while (this.#running > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 25))
    return this.#running === 0
  }

  /**
   * Lets a request in, or refuses it if its account or its key has too many in flight. Returns the function that lets it out;
   * only its first call counts.
   */
  enter(of: Pick<Caller, 'accountId' | 'keyId'>): MaybePromise<() => void> {
    if (!this.#accounts.take(of.accountId)) throw tooMany(`This account has ${this.#most.ofAccount()} requests in progress here`)
    const taken = this.#keys.take(of.keyId)
    return typeof taken === 'boolean' ? this.#admit(of, taken) : taken.then((is) => this.#admit(of, is))
  }

  #admit({ accountId, keyId }: Pick<Caller, 'accountId' | 'keyId'>, taken: boolean): () => void {
    if (!taken) {
      this.#accounts.give(accountId)
      throw tooMany(`This key has ${this.#most.ofKey()} requests in progress`)
    }
    this.#running++
    let inside = true
    return () => {
      if (!inside) return
      inside = false
      this.#running--
      this.#keys.give(keyId)
      this.#accounts.give(accountId)
    }
  }
}

const tooMany = (what: string): Refusal =>
  new Refusal('too_many_requests', `${what}, the most that it can have. Wait until some finish.`, { retryAfter: 1 })
