import type { Grown, GrowRequest, LedgerStore } from './ports.ts'

/** What a purse needs of the process that leases it. */
export interface PurseHost {
  readonly owner: string
  readonly store: LedgerStore
  /** The database says that this process is not registered any more. */
  swept(): void
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
  readonly heldByKey = new Map<string, bigint>()
  readonly #host: PurseHost
  readonly #request: Omit<GrowRequest, 'owner' | 'seq' | 'need'>
  #seq = 0n
  #turn: Promise<unknown> = Promise.resolve()
  #asked = 0
  #asking: Promise<Grown | null> | null = null
  #wakers = new Set<() => void>()

  constructor(host: PurseHost, request: Omit<GrowRequest, 'owner' | 'seq' | 'need'>) {
    this.id = request.purseId
    this.leaseId = `${host.owner}/${request.purseId}`
    this.#host = host
    this.#request = request
  }

  /** How often the database was asked; tells a waiter whether an answer is younger than itself. */
  get asked(): number {
    return this.#asked
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
  ask(amount: bigint): Promise<Grown | null> {
    if (this.#asking !== null) return this.#asking
    this.#asked++
    this.#asking = this.#inTurn(async () => {
      const need = amount - this.available
      if (need <= 0n) return { granted: 0n, balance: this.balance ?? 0n, elsewhere: false, recall: false }
      const seq = ++this.#seq
      const request = { ...this.#request, owner: this.#host.owner, seq, need }
      // An answer that was lost may have granted: the same number asks for the same grant.
      const grown = await this.#host.store.grow(request).catch(() => this.#host.store.grow(request))
      if (!grown) this.#host.swept()
      else {
        this.available += grown.granted
        this.balance = grown.balance
      }
      return grown
    }).finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  /** Returns what no request holds. Memory is lowered first, so that nothing can be held twice. */
  giveBack(): Promise<void> {
    return this.#inTurn(async () => {
      const amount = this.available
      if (amount <= 0n) return
      this.available = 0n
      const seq = ++this.#seq
      const { store, owner } = this.#host
      await store.giveBack(owner, this.id, seq, amount).catch(() => store.giveBack(owner, this.id, seq, amount))
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

  /** Changes of one lease reach the database one after the other, in the order of their numbers. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#turn.then(work, work)
    this.#turn = run.catch(() => undefined)
    return run
  }
}
