import { fewAtOnce } from '../domain/few-at-once.ts'
import { least, most } from '../domain/money.ts'
import type { Soon } from '../domain/soon.ts'
import type { IsTransient, LedgerLog, LedgerStore, Ticks } from './ports.ts'
import { Purse } from './purse.ts'

/** How long a request waits for money that other requests or processes may give back. */
const WAIT_MS = 250
/** How long it waits at most for a process that was asked to give idle money back and has not answered. */
const UNHEARD_MS = 2_000
const STEP_MS = 40
const IDLE_MS = 30_000
/** Each of them takes a connection that requests may want. */
const RETURNS_AT_ONCE = 4

/** A spending limit of a key, with the purse that keeps what is left of it. */
export interface Budget {
  purseId: string
  limit: bigint
  monthStart: Date | null
}

/** Whose money it is, and the key's limits on it. */
export interface Spender {
  accountId: string
  keyId: string
  budgets: readonly Budget[]
}

export interface HoldRequest extends Spender {
  amount: bigint
  /** What unfinished tasks of the key hold, where that counts as its share: the database holds it, not this process. */
  inTasks?: bigint
}

/** Money set aside for one request. Ends exactly once, by `end`. */
export interface Hold {
  readonly amount: bigint
  readonly leaseId: string
  readonly budgets: string[]
  readonly budgetLeases: string[]
  /** Ends the hold: `spent` of it was taken by the settlement, the rest is free again. */
  end(spent: bigint): void
}

/** `held`: the balance or the limit would cover it, but requests under way hold too much of that. */
export type HoldRefused = { refused: 'balance' | 'key_limit' | 'held' | 'key_share' | 'not_in_touch' }

/**
 * The wallet of this process: holds on balances and key limits, taken in memory out of leased slices.
 * `inTouch` says whether the process may admit: its leases are safe from being swept for a while.
 */
export class Wallet {
  readonly #store: LedgerStore
  readonly #log: LedgerLog
  readonly #ticks: Ticks
  readonly #isTransient: IsTransient
  readonly #inTouch: () => boolean
  readonly #swept: (owner: string) => void
  #owner = ''
  #seq = 0n
  #purses = new Map<string, Purse>()
  #returning: Promise<void> | null = null

  constructor(options: {
    store: LedgerStore
    log: LedgerLog
    ticks: Ticks
    isTransient: IsTransient
    inTouch: () => boolean
    /** The database says that this owner is not registered any more. */
    swept: (owner: string) => void
  }) {
    this.#store = options.store
    this.#isTransient = options.isTransient
    this.#log = options.log
    this.#ticks = options.ticks
    this.#inTouch = options.inTouch
    this.#swept = options.swept
  }

  /** Starts anew as another owner: what was leased before is no longer this process's to hold. */
  restart(owner: string): void {
    const old = this.#purses
    this.#owner = owner
    this.#purses = new Map()
    for (const purse of old.values()) purse.wake()
  }

  /** What requests of an account that are under way in this process hold, in nano-dollars, and how many they are. */
  held(accountId: string): { nano: bigint; requests: number } {
    const purse = this.#purses.get(accountId)
    return { nano: purse?.held ?? 0n, requests: purse?.holds ?? 0 }
  }

  /**
   * What a key can spend as this process knows it, in nano-dollars: the least of what its account and its own limits leave. It
   * may be out of date, and tells nothing of what others hold. Asks once where it knows nothing of the account.
   */
  freeMoney({ accountId, keyId, budgets }: Spender): Soon<bigint> {
    const own = this.#purse(accountId, accountId, null)
    const free = () =>
      budgets.reduce(
        (most, budget) => {
          const purse = this.#purse(budget.purseId, accountId, { ...budget, keyId })
          return least(most, freeIn(purse, budget.limit))
        },
        freeIn(own, 0n),
      )
    return own.balance === null ? own.ask(own.available + 1n).then(free) : free()
  }

  /** Sets money aside, or says which purse lacks it. Never refuses for want of money before asking the database. */
  hold(request: HoldRequest): Soon<Hold | HoldRefused> {
    if (!this.#inTouch()) return { refused: 'not_in_touch' }
    const { keyId, amount } = request
    const purses = this.#pursesOf(request)
    if (!purses.every((purse, index) => purse.available >= amount && (index > 0 || mayHold(purse, request))))
      return this.#holdSoon(request, purses)
    for (const purse of purses) {
      purse.usedAt = this.#ticks()
      purse.take(keyId, amount)
    }
    return this.#holdOf(request, purses)
  }

  async #holdSoon(request: HoldRequest, purses: readonly Purse[]): Promise<Hold | HoldRefused> {
    const taken: Purse[] = []
    try {
      for (const [index, purse] of purses.entries()) {
        const refused = await this.#acquire(purse, request, index === 0)
        if (refused) return { refused }
        taken.push(purse)
      }
      return this.#holdOf(request, taken.splice(0))
    } finally {
      // Whether a later purse refused or could not be asked: what the earlier ones set aside is free again.
      for (const purse of taken) purse.release(request.keyId, request.amount, 0n)
    }
  }

  /** A purse's idle money is wanted elsewhere: give it back at once. */
  recall(purseId: string): void {
    const purse = this.#purses.get(purseId)
    if (purse)
      purse
        .giveBack(true)
        .catch((error: unknown) => this.#log.warn({ purse: purseId, error: String(error) }, 'idle money could not be returned'))
  }

  /** Money came back somewhere: whoever waits may ask again. */
  returned(purseId: string): void {
    this.#purses.get(purseId)?.wake()
  }

  /** Remembers what the database said of a balance when it settled. */
  noteBalance(accountId: string, balance: bigint): void {
    const purse = this.#purses.get(accountId)
    if (purse) purse.balance = balance
  }

  /** Returns the slices that nobody used for a while. Called after each beat: one round is enough at a time. */
  returnIdle(all = false): Promise<void> {
    if (all) return this.#returnIdle(true)
    this.#returning ??= this.#returnIdle(false).finally(() => {
      this.#returning = null
    })
    return this.#returning
  }

  async #returnIdle(all: boolean): Promise<void> {
    await fewAtOnce([...this.#purses.values()], RETURNS_AT_ONCE, async (purse) => {
      const isIdle = () => purse.held === 0n && this.#ticks() - purse.usedAt >= IDLE_MS
      if (all ? purse.held > 0n : !isIdle()) return
      await purse.giveBack(false)
      if (purse.empty && isIdle() && this.#purses.get(purse.id) === purse) this.#purses.delete(purse.id)
    })
  }

  #holdOf(request: HoldRequest, purses: Purse[]): Hold {
    const [own, ...budgets] = purses
    let open = true
    return {
      amount: request.amount,
      leaseId: own?.leaseId ?? '',
      budgets: budgets.map((purse) => purse.id),
      budgetLeases: budgets.map((purse) => purse.leaseId),
      end: (spent) => {
        if (!open) return
        open = false
        const part = least(spent, request.amount)
        for (const purse of purses) purse.release(request.keyId, request.amount, part)
      },
    }
  }

  async #acquire(purse: Purse, request: HoldRequest, own: boolean): Promise<HoldRefused['refused'] | null> {
    const { amount } = request
    purse.usedAt = this.#ticks()
    purse.wanted += amount
    try {
      const refused = await this.#wait(purse, request, own)
      return refused === 'short' ? (own ? 'balance' : 'key_limit') : refused
    } finally {
      purse.wanted -= amount
    }
  }

  /** Waits for the money and takes it, or says why it will not be had. */
  async #wait(purse: Purse, request: HoldRequest, own: boolean): Promise<'short' | 'held' | 'key_share' | 'not_in_touch' | null> {
    const { amount, keyId } = request
    const arrived = this.#ticks()
    const before = purse.asked
    for (;;) {
      if (this.#purses.get(purse.id) !== purse) return 'not_in_touch'
      const fair = !own || mayHold(purse, request)
      if (fair && purse.available >= amount) {
        purse.take(keyId, amount)
        return null
      }
      const waited = this.#ticks() - arrived
      if (fair) {
        const answer = await purse.ask(amount)
        if (!answer || !this.#inTouch()) return 'not_in_touch'
        // Money was found, though others were quicker; or the question is older than this request.
        if (purse.available >= amount || answer.granted > 0n || answer.number <= before) continue
        // What is there and in no process's hands, tasks hold: they take too long to be waited for.
        if (!answer.elsewhere && purse.held === 0n) return answer.balance >= amount ? 'held' : 'short'
        if (waited > (answer.unheard ? UNHEARD_MS : WAIT_MS)) return answer.balance >= amount ? 'held' : 'short'
      } else if (waited > WAIT_MS) return 'key_share'
      await purse.change(STEP_MS)
    }
  }

  /** The wallet of the account, and what the key's limits leave. */
  #pursesOf({ accountId, keyId, budgets }: Spender): Purse[] {
    const purses = [this.#purse(accountId, accountId, null)]
    for (const budget of budgets) purses.push(this.#purse(budget.purseId, accountId, { ...budget, keyId }))
    return purses
  }

  #purse(purseId: string, accountId: string, budget: (Budget & { keyId: string }) | null): Purse {
    const known = this.#purses.get(purseId)
    if (known) {
      if (budget) known.limitIs(budget.limit)
      return known
    }
    const owner = this.#owner
    const host = {
      owner,
      store: this.#store,
      isTransient: this.#isTransient,
      nextSeq: () => ++this.#seq,
      swept: () => this.#swept(owner),
    }
    const purse = new Purse(host, {
      purseId,
      accountId,
      budget: budget ? { keyId: budget.keyId, limit: budget.limit, monthStart: budget.monthStart } : null,
    })
    // Whoever made it is about to ask it.
    purse.usedAt = this.#ticks()
    this.#purses.set(purseId, purse)
    return purse
  }
}

/** What of a balance, or of what it can be where none is known, is not held by requests of this process. */
const freeIn = ({ balance, held }: Purse, unknown: bigint): bigint => most((balance ?? unknown) - held, 0n)

/**
 * One key cannot starve the others of its account: while another key has requests under way, it
 * holds at most half of the balance. Alone, it may hold everything.
 */
function mayHold(purse: Purse, { keyId, amount, inTasks = 0n }: HoldRequest): boolean {
  const requests = purse.heldByKey.get(keyId)
  const mine = (requests ?? 0n) + inTasks
  if (mine === 0n || purse.balance === null) return true
  const others = purse.heldByKey.size > (requests === undefined ? 0 : 1)
  return !others || (mine + amount) * 2n <= purse.balance
}
