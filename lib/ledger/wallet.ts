import { mapConcurrently } from '../domain/map-concurrently.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import { maxBigInt, minBigInt } from '../domain/money.ts'
import { type AcquireHost, acquire, type RefusalReason } from './acquire.ts'
import { isWithinKeyShare, type Need } from './key-share.ts'
import type { IsTransient, LedgerLog, LedgerStore, Ticks } from './ports.ts'
import { Purse } from './purse.ts'

/** How long a slice is kept that nobody uses. */
const IDLE_MS = 30_000
/** How many returns run at the same time. Each takes a connection that requests may need. */
const RETURN_CONCURRENCY = 4

/** A spending limit of a key, with the purse that tracks what is left of it. */
export interface Budget {
  purseId: string
  limit: bigint
  monthStart: Date | null
}

/** The account that pays, and the key's limits. */
export interface Spender {
  accountId: string
  keyId: string
  budgets: readonly Budget[]
}

export interface HoldRequest extends Spender, Need {}

/** A purse from which a request holds money, and its generation at that time. */
interface HeldPurse {
  purse: Purse
  generation: number
}

/** Money set aside for one request. Ended exactly once, by `end`. */
export interface Hold {
  readonly amount: bigint
  readonly leaseId: string
  readonly budgets: string[]
  readonly budgetLeases: string[]
  /** Ends the hold: the settlement took `spent` of it, and the rest is free again. */
  end(spent: bigint): void
}

export type HoldRefusal = { refused: RefusalReason }

/**
 * The wallet of this process: holds on balances and key limits, taken in memory from leased slices. `mayAdmit` tells whether the
 * process may admit requests, that is, whether its leases are safe from being swept for a while.
 */
export class Wallet {
  readonly #store: LedgerStore
  readonly #log: LedgerLog
  readonly #ticks: Ticks
  readonly #isTransient: IsTransient
  readonly #mayAdmit: () => boolean
  readonly #onSwept: (owner: string) => void
  readonly #acquireHost: AcquireHost
  #owner = ''
  #seq = 0n
  #purses = new Map<string, Purse>()
  #pendingReturn: Promise<void> | null = null

  constructor(options: {
    store: LedgerStore
    log: LedgerLog
    ticks: Ticks
    isTransient: IsTransient
    mayAdmit: () => boolean
    /** The database reports that this owner is no longer registered. */
    onSwept: (owner: string) => void
  }) {
    this.#store = options.store
    this.#isTransient = options.isTransient
    this.#log = options.log
    this.#ticks = options.ticks
    this.#mayAdmit = options.mayAdmit
    this.#onSwept = options.onSwept
    this.#acquireHost = {
      ticks: options.ticks,
      mayAdmit: options.mayAdmit,
      owns: (purse) => this.#purses.get(purse.id) === purse,
    }
  }

  /** Starts again as a new owner. What was leased before no longer belongs to this process. */
  restart(owner: string): void {
    const old = this.#purses
    this.#owner = owner
    this.#purses = new Map()
    for (const purse of old.values()) purse.wakeWaiters()
  }

  /** What an account's requests in flight in this process hold, in nano-dollars, and how many requests there are. */
  held(accountId: string): { nano: bigint; requests: number } {
    const purse = this.#purses.get(accountId)
    return { nano: purse?.held ?? 0n, requests: purse?.holds ?? 0 }
  }

  /**
   * What a key can spend as far as this process knows, in nano-dollars: the least of what its account and its own limits leave.
   * It may be out of date and does not include what other processes hold. Asks the database once if nothing is known of the
   * account.
   */
  spendableNano({ accountId, keyId, budgets }: Spender): MaybePromise<bigint> {
    const own = this.#getOrCreatePurse(accountId, accountId, null)
    const free = () =>
      budgets.reduce(
        (lowest, budget) => {
          const purse = this.#getOrCreatePurse(budget.purseId, accountId, { ...budget, keyId })
          return minBigInt(lowest, unheldBalance(purse, budget.limit))
        },
        unheldBalance(own, 0n),
      )
    return own.balance === null ? own.requestMoney(own.available + 1n).then(free) : free()
  }

  /** Sets money aside, or says which purse lacks it. Never refuses for lack of money before it has asked the database. */
  hold(request: HoldRequest): MaybePromise<Hold | HoldRefusal> {
    if (!this.#mayAdmit()) return { refused: 'not_in_touch' }
    const { keyId, amount } = request
    const purses = this.#pursesOf(request)
    const canHold = (purse: Purse, index: number) =>
      purse.available >= amount && !purse.mustReturn && (index > 0 || isWithinKeyShare(purse, request))
    if (!purses.every(canHold)) return this.#holdAsync(request, purses)
    for (const purse of purses) {
      purse.usedAt = this.#ticks()
      purse.hold(keyId, amount)
    }
    return this.#createHold(
      request,
      purses.map((purse) => ({ purse, generation: purse.generation })),
    )
  }

  async #holdAsync(request: HoldRequest, purses: readonly Purse[]): Promise<Hold | HoldRefusal> {
    const acquired: HeldPurse[] = []
    try {
      for (const [index, purse] of purses.entries()) {
        const { generation } = purse
        const refused = await acquire(purse, request, index === 0, this.#acquireHost)
        if (refused) return { refused }
        acquired.push({ purse, generation })
      }
      return this.#createHold(request, acquired.splice(0))
    } finally {
      // If a later purse refused or could not be asked, what the earlier ones set aside is free again.
      for (const { purse, generation } of acquired) purse.release(request.keyId, request.amount, 0n, generation)
    }
  }

  /** Returns a purse's idle money at once, because another process needs it. */
  recall(purseId: string): void {
    const purse = this.#purses.get(purseId)
    if (purse)
      purse
        .returnAvailable(true)
        .catch((error: unknown) => this.#log.warn({ purse: purseId, error: String(error) }, 'idle money could not be returned'))
  }

  /** Wakes the requests that wait for a purse, because money was returned elsewhere. */
  wakeWaiters(purseId: string): void {
    this.#purses.get(purseId)?.wakeWaiters()
  }

  /** Remembers the balance that the database reported when it settled. */
  recordBalance(accountId: string, balance: bigint): void {
    const purse = this.#purses.get(accountId)
    if (purse) purse.balance = balance
  }

  /** Returns slices that have been idle for a while. Called after each heartbeat; only one round runs at a time. */
  returnIdle(all = false): Promise<void> {
    if (all) return this.#returnIdle(true)
    this.#pendingReturn ??= this.#returnIdle(false).finally(() => {
      this.#pendingReturn = null
    })
    return this.#pendingReturn
  }

  async #returnIdle(all: boolean): Promise<void> {
    await mapConcurrently([...this.#purses.values()], RETURN_CONCURRENCY, async (purse) => {
      const isIdle = () => purse.held === 0n && this.#ticks() - purse.usedAt >= IDLE_MS
      if (all ? purse.held > 0n : !isIdle()) return
      await purse.returnAvailable(false)
      if (purse.empty && isIdle() && this.#purses.get(purse.id) === purse) this.#purses.delete(purse.id)
    })
  }

  #createHold(request: HoldRequest, held: HeldPurse[]): Hold {
    const [own, ...budgets] = held.map(({ purse }) => purse)
    let open = true
    return {
      amount: request.amount,
      leaseId: own?.leaseId ?? '',
      budgets: budgets.map((purse) => purse.id),
      budgetLeases: budgets.map((purse) => purse.leaseId),
      end: (spent) => {
        if (!open) return
        open = false
        const part = minBigInt(spent, request.amount)
        for (const { purse, generation } of held) purse.release(request.keyId, request.amount, part, generation)
      },
    }
  }

  /** The account's wallet and the purses of the key's limits. */
  #pursesOf({ accountId, keyId, budgets }: Spender): Purse[] {
    const purses = [this.#getOrCreatePurse(accountId, accountId, null)]
    for (const budget of budgets) purses.push(this.#getOrCreatePurse(budget.purseId, accountId, { ...budget, keyId }))
    return purses
  }

  #getOrCreatePurse(purseId: string, accountId: string, budget: (Budget & { keyId: string }) | null): Purse {
    const known = this.#purses.get(purseId)
    if (known) {
      if (budget) known.setLimit(budget.limit)
      return known
    }
    const owner = this.#owner
    const host = {
      owner,
      store: this.#store,
      isTransient: this.#isTransient,
      nextSeq: () => ++this.#seq,
      onSwept: () => this.#onSwept(owner),
    }
    const purse = new Purse(host, {
      purseId,
      accountId,
      budget: budget ? { keyId: budget.keyId, limit: budget.limit, monthStart: budget.monthStart } : null,
    })
    // The caller is about to ask it.
    purse.usedAt = this.#ticks()
    this.#purses.set(purseId, purse)
    return purse
  }
}

/** How much of a balance requests of this process do not hold. `unknown` stands in for a balance that is not known. */
const unheldBalance = ({ balance, held }: Purse, unknown: bigint): bigint => maxBigInt((balance ?? unknown) - held, 0n)
