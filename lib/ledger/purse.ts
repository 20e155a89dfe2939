import type { Grown, GrowRequest, IsTransient, LedgerStore } from './ports.ts'

/** What a purse needs of the process that leases it. */
export interface PurseHost {
  readonly owner: string
  readonly store: LedgerStore
  readonly isTransient: IsTransient
  /** The next number of a change; never one that any purse of this owner had before. */
  nextSeq(): bigint
  /** The database says that this owner is not registered any more. */
  swept(): void
}

/** What stays the same in every question about one purse. */
type PurseOf = Omit<GrowRequest, 'owner' | 'seq' | 'need' | 'want' | 'since'>

/** An answer of the database, with the number of its question. */
export interface Answered extends Grown {
  number: number
}

/**
 * One process's slice of a wallet or of a key's limit: money that was leased from the database is
 * held and released in memory, exactly, without asking again.
 */
export class Purse {
  readonly id: string
  readonly leaseId: string
  /** Leased and not held by any request. */
  available = 0n
  /** Leased and held by requests that are under way. */
  held = 0n
  /** How many requests hold something. */
  holds = 0
  /** As the database last said: credit minus what was spent. Null before the first answer. */
  balance: bigint | null = null
  usedAt = 0
  /** What the requests that wait here would hold together. */
  wanted = 0n
  readonly heldByKey = new Map<string, bigint>()
  readonly #host: PurseHost
  #request: PurseOf
  /** A change whose answer was lost: it may have happened. */
  #lost: (() => Promise<unknown>) | null = null
  #turn: Promise<unknown> = Promise.resolve()
  #asked = 0
  #asking: Promise<Answered | null> | null = null
  #shortSince: Date | null = null
  #wakers = new Set<() => void>()

  constructor(host: PurseHost, request: PurseOf) {
    this.id = request.purseId
    this.leaseId = `${host.owner}/${request.purseId}`
    this.#host = host
    this.#request = request
  }

  /** Nothing is leased here, as far as the database could be heard. */
  get empty(): boolean {
    return this.held === 0n && this.available === 0n && this.#lost === null
  }

  /** How often the database was asked; tells a waiter whether an answer is younger than itself. */
  get asked(): number {
    return this.#asked
  }

  /** The limit whose rest this is: where it was changed, what is left of it is not known any more. */
  limitIs(limit: bigint): void {
    const { budget } = this.#request
    if (budget === null || budget.limit === limit) return
    this.#request = { ...this.#request, budget: { ...budget, limit } }
    this.balance = null
  }

  take(keyId: string, amount: bigint): void {
    this.available -= amount
    this.held += amount
    this.holds++
    this.heldByKey.set(keyId, (this.heldByKey.get(keyId) ?? 0n) + amount)
  }

  /** Ends a hold of which `spent` was taken by its settlement; the rest can be held again. */
  release(keyId: string, amount: bigint, spent: bigint): void {
    this.held -= amount
    this.holds--
    this.available += amount - spent
    const rest = (this.heldByKey.get(keyId) ?? 0n) - amount
    if (rest > 0n) this.heldByKey.set(keyId, rest)
    else this.heldByKey.delete(keyId)
    this.wake()
  }

  /** Asks the database for what is missing to hold `amount`; one question at a time, shared by all who wait. */
  ask(amount: bigint): Promise<Answered | null> {
    if (this.#asking !== null) return this.#asking
    const number = ++this.#asked
    this.#asking = this.#inTurn(() => this.#grow(amount - this.available, number)).finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #grow(need: bigint, number: number): Promise<Answered | null> {
    const enough = { granted: 0n, balance: this.balance ?? 0n, elsewhere: true, unheard: true, askedAt: new Date(0), number }
    if (need <= 0n) return enough
    const { owner, store } = this.#host
    const want = this.wanted - this.available
    const request = { ...this.#request, owner, seq: this.#host.nextSeq(), need, want, since: this.#shortSince }
    return await this.#change(async () => {
      const grown = await store.grow(request)
      if (!grown) {
        this.#host.swept()
        return null
      }
      this.available += grown.granted
      this.balance = grown.balance
      if (grown.granted > 0n) this.wake()
      this.#shortSince = grown.granted > 0n ? null : (this.#shortSince ?? grown.askedAt)
      return { ...grown, number }
    })
  }

  /**
   * Returns what no request holds. Whoever waits here and can use it takes it first; a part that is too small for
   * any of them may be what another process lacks. Memory is lowered first, so that nothing can be held twice. With
   * `heard` the database learns that it was asked for, even where there is nothing to return.
   */
  giveBack(heard: boolean): Promise<void> {
    return this.#inTurn(async () => {
      this.wake()
      await new Promise(setImmediate)
      const amount = this.available
      if (amount === 0n && !heard) return
      this.available = 0n
      const seq = this.#host.nextSeq()
      const { store, owner } = this.#host
      await this.#change(() => store.giveBack(owner, this.id, seq, amount))
    })
  }

  /** Wakes whoever waits for money here. */
  wake(): void {
    if (this.#wakers.size === 0) return
    const wakers = [...this.#wakers]
    this.#wakers.clear()
    for (const waker of wakers) waker()
  }

  /** Resolves at the next release or notification, or after `ms`. */
  change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#wakers.delete(done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.#wakers.add(done)
    })
  }

  /**
   * Makes a change. One whose answer was lost may have happened, and money would be lent to nobody: it is asked
   * again under its number, which gives the same answer, at once and then before every later change.
   */
  async #change<T>(change: () => Promise<T>): Promise<T> {
    this.#lost = change
    try {
      const answer = await change().catch(() => change())
      this.#lost = null
      return answer
    } catch (error) {
      if (!this.#host.isTransient(error)) this.#lost = null
      throw error
    }
  }

  /** Changes of one lease reach the database one after the other, in the order of their numbers. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#turn.then(async () => {
      if (this.#lost !== null) await this.#change(this.#lost)
      return await work()
    })
    this.#turn = run.catch(() => undefined)
    return run
  }
}
