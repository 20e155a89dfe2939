import type { GrowRequest, GrowResult, IsTransient, LedgerStore } from './ports.ts'

/** What a purse needs from the process that leases it. */
export interface PurseHost {
  readonly owner: string
  readonly store: LedgerStore
  readonly isTransient: IsTransient
  /** The next number for a change. No purse of this owner has had it before. */
  nextSeq(): bigint
  /** The database reports that this owner is no longer registered. */
  onSwept(): void
}

/** The part of a request that is the same for every question about one purse. */
type GrowRequestBase = Omit<GrowRequest, 'owner' | 'seq' | 'need' | 'want' | 'since'>

/** An answer from the database, with the number of its question. */
export interface GrowAnswer extends GrowResult {
  number: number
}

/**
 * One process's slice of a wallet or of a key's limit. Money leased from the database is held and released in memory, exactly,
 * without asking again.
 */
export class Purse {
  readonly id: string
  readonly leaseId: string
  /** Leased and not held by any request. */
  available = 0n
  /** Leased and held by requests in flight. */
  held = 0n
  /** How many requests hold something. */
  holds = 0
  /** The balance as the database last reported it: credit minus what was spent. Null before the first answer. */
  balance: bigint | null = null
  usedAt = 0
  /** What the requests waiting here need together. */
  wanted = 0n
  /** How often the limit was lowered. Holds from before that are of an earlier generation. */
  generation = 0
  /** Whether some of what is available was leased under a higher limit. It has to be returned before it can be held again. */
  mustReturn = false
  readonly heldByKey = new Map<string, bigint>()
  readonly #host: PurseHost
  #request: GrowRequestBase
  /** A change whose answer was lost. It may have taken effect. */
  #unconfirmedChange: (() => Promise<unknown>) | null = null
  #queueTail: Promise<unknown> = Promise.resolve()
  #queryCount = 0
  #pendingGrow: Promise<GrowAnswer | null> | null = null
  #shortSince: Date | null = null
  #wakers = new Set<() => void>()

  constructor(host: PurseHost, request: GrowRequestBase) {
    this.id = request.purseId
    this.leaseId = `${host.owner}/${request.purseId}`
    this.#host = host
    this.#request = request
  }

  /** Whether nothing is leased here, according to what the database has answered. */
  get empty(): boolean {
    return this.held === 0n && this.available === 0n && this.#unconfirmedChange === null
  }

  /** How often the database was asked. Tells a waiting request whether an answer is newer than its own arrival. */
  get queryCount(): number {
    return this.#queryCount
  }

  /**
   * Sets the limit that this purse belongs to. If it changed, what is left of it is no longer known. If it was lowered, what is
   * leased here may be more than it allows, so nothing of that is held a second time: the database decides again.
   */
  setLimit(limit: bigint): void {
    const { budget } = this.#request
    if (budget === null || budget.limit === limit) return
    this.#request = { ...this.#request, budget: { ...budget, limit } }
    this.balance = null
    if (limit > budget.limit) return
    this.generation++
    this.mustReturn = this.available > 0n
  }

  hold(keyId: string, amount: bigint): void {
    this.available -= amount
    this.held += amount
    this.holds++
    this.heldByKey.set(keyId, (this.heldByKey.get(keyId) ?? 0n) + amount)
  }

  /** Ends a hold of which the settlement took `spent`. The rest can be held again, unless the limit was lowered since. */
  release(keyId: string, amount: bigint, spent: bigint, generation: number): void {
    this.held -= amount
    this.holds--
    this.available += amount - spent
    if (generation !== this.generation && amount > spent) this.mustReturn = true
    const rest = (this.heldByKey.get(keyId) ?? 0n) - amount
    if (rest > 0n) this.heldByKey.set(keyId, rest)
    else this.heldByKey.delete(keyId)
    this.wakeWaiters()
  }

  /**
   * Asks the database for what is missing to hold `amount`. Only one question is open at a time; all waiting requests share it.
   */
  requestMoney(amount: bigint): Promise<GrowAnswer | null> {
    if (this.#pendingGrow !== null) return this.#pendingGrow
    const number = ++this.#queryCount
    this.#pendingGrow = this.#enqueue(() => this.#grow(amount - this.available, number)).finally(() => {
      this.#pendingGrow = null
    })
    return this.#pendingGrow
  }

  async #grow(need: bigint, number: number): Promise<GrowAnswer | null> {
    const unchanged = { granted: 0n, balance: this.balance ?? 0n, elsewhere: true, unheard: true, askedAt: new Date(0), number }
    if (need <= 0n) return unchanged
    const { owner, store } = this.#host
    const want = this.wanted - this.available
    const request = { ...this.#request, owner, seq: this.#host.nextSeq(), need, want, since: this.#shortSince }
    return await this.#change(async () => {
      const grown = await store.grow(request)
      if (!grown) {
        this.#host.onSwept()
        return null
      }
      this.available += grown.granted
      this.balance = grown.balance
      if (grown.granted > 0n) this.wakeWaiters()
      this.#shortSince = grown.granted > 0n ? null : (this.#shortSince ?? grown.askedAt)
      return { ...grown, number }
    })
  }

  /**
   * Returns what no request holds. Requests that wait here take what they can use first; an amount too small for any of them
   * may be what another process lacks. Memory is lowered before the database is told, so nothing can be held twice. With
   * `acknowledge` the database learns that the recall arrived, even if there is nothing to return.
   */
  returnAvailable(acknowledge: boolean): Promise<void> {
    return this.#enqueue(async () => {
      this.wakeWaiters()
      await new Promise(setImmediate)
      const amount = this.available
      this.mustReturn = false
      if (amount === 0n && !acknowledge) return
      this.available = 0n
      const seq = this.#host.nextSeq()
      const { store, owner } = this.#host
      await this.#change(() => store.returnMoney(owner, this.id, seq, amount))
    })
  }

  /** Wakes the requests that wait for money here. */
  wakeWaiters(): void {
    if (this.#wakers.size === 0) return
    const wakers = [...this.#wakers]
    this.#wakers.clear()
    for (const waker of wakers) waker()
  }

  /** Resolves at the next release or notification, or after `ms`. */
  waitForChange(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        this.#wakers.delete(finish)
        resolve()
      }
      const timer = setTimeout(finish, ms)
      this.#wakers.add(finish)
    })
  }

  /**
   * Makes a change. If its answer is lost, the change may have taken effect, and the money would be leased to nobody. So it is
   * retried under the same number, which gives the same answer: at once, and then before every later change.
   */
  async #change<T>(change: () => Promise<T>): Promise<T> {
    this.#unconfirmedChange = change
    try {
      const answer = await change().catch(() => change())
      this.#unconfirmedChange = null
      return answer
    } catch (error) {
      if (!this.#host.isTransient(error)) this.#unconfirmedChange = null
      throw error
    }
  }

  /** Sends the changes of one lease to the database one after another, in the order of their numbers. */
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#queueTail.then(async () => {
      if (this.#unconfirmedChange !== null) await this.#change(this.#unconfirmedChange)
      return await work()
    })
    this.#queueTail = run.catch(() => undefined)
    return run
  }
}
