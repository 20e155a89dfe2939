import type { Settlement, SettlementResult } from '../domain/settlement.ts'
import { scheduleFlush } from '../domain/task-batcher.ts'
import type { Batch, IsTransient, LedgerLog, LedgerStore, SettlementRow, Ticks } from './ports.ts'
import { RecentBatches } from './recent-batches.ts'
import { settlementRow } from './settlement-row.ts'

const MAX_BATCH = 256
/** The largest lag of a standby that takes over. What was committed before that is not lost with the old server. */
const STANDBY_LAG_MS = 60_000
const UNIQUE_VIOLATION = '23505'
const RETRY_MS = [20, 50, 100, 250, 500, 1000]

interface Pending {
  row: SettlementRow
  resolve(settled: SettlementResult): void
  reject(error: Error): void
}

/** Tells the requests that wait for a batch what became of it. */
type DeliverResults = () => void

/** A settlement that the database will never accept. Its request is not charged, and the error is logged for operators. */
export class InvalidSettlementError extends Error {
  readonly code = 'bad_settlement'
}

/**
 * Group commit: settlements that arrive during a commit go into the next one. A settlement is posted until the database has
 * answered for it. Posting it twice is harmless, because ids are unique.
 */
export class Committer {
  readonly #store: LedgerStore
  readonly #isTransient: IsTransient
  readonly #log: LedgerLog
  readonly #ticks: Ticks
  readonly #sleep: (ms: number) => Promise<void>
  #queue: Pending[] = []
  #pendingCount = 0
  #running: Promise<void> | null = null
  readonly #recent = new RecentBatches({ maxBytes: 32 * 1024 * 1024 })

  constructor(options: {
    store: LedgerStore
    isTransient: IsTransient
    log: LedgerLog
    ticks: Ticks
    sleep: (ms: number) => Promise<void>
  }) {
    this.#store = options.store
    this.#isTransient = options.isTransient
    this.#log = options.log
    this.#ticks = options.ticks
    this.#sleep = options.sleep
  }

  /** How many settlements the database has not answered for yet. */
  get pendingCount(): number {
    return this.#pendingCount
  }

  /** Resolves when the charge is durable. Rejects only with InvalidSettlementError; during an outage it waits. */
  post(settlement: Settlement): Promise<SettlementResult> {
    this.#pendingCount++
    return new Promise((resolve, reject) => {
      this.#queue.push({ row: settlementRow(settlement), resolve, reject })
      this.#running ??= this.#run()
    })
  }

  /** Resolves when everything posted so far has been answered for. */
  async drain(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  /**
   * Confirms that at this moment of ticks() the server was still on the known timeline. Only this lets batches be forgotten: a
   * failover may take long before anybody notices it, and what was settled just before it must not be dropped meanwhile.
   */
  confirmTimeline(atMs: number): void {
    this.#recent.forget(atMs - STANDBY_LAG_MS)
  }

  /** Posts the settlements of the last minute again, because a failover may have lost the last commits. */
  async repost(): Promise<void> {
    for (const batch of this.#recent.all()) {
      const answers = await this.#store.settle(batch, true, null)
      const lost = answers.filter((answer) => answer.fresh).length
      if (lost > 0) this.#log.warn({ lost }, 'settlements lost in a failover were posted again')
    }
    // The next failover can lose what is new on this server.
    this.#recent.renew(this.#ticks())
  }

  async #run(): Promise<void> {
    let deliverPrevious: DeliverResults | null = null
    while (this.#queue.length > 0) {
      // What arrived while another batch was committed has waited long enough.
      if (deliverPrevious === null) await this.#waitForBatch()
      const committed = this.#commit(this.#queue.splice(0, MAX_BATCH))
      // The previous batch is answered while the database works on this one.
      const [next]: [DeliverResults, unknown] = await Promise.all([
        committed,
        deliverPrevious && new Promise(setImmediate).then(deliverPrevious),
      ])
      deliverPrevious = this.#queue.length > 0 ? next : null
      if (deliverPrevious === null) next()
    }
    this.#running = null
  }

  /** Waits for more settlements: a large commit costs hardly more than a small one. A request that ends alone waits one turn. */
  #waitForBatch(): Promise<void> {
    return new Promise((resolve) => scheduleFlush(() => Math.min(this.#queue.length, MAX_BATCH), resolve))
  }

  /** Resolves when the whole batch is durable or refused for good. */
  async #commit(batch: Pending[]): Promise<DeliverResults> {
    const rows = batch.map((pending) => pending.row)
    let encoded: Batch
    try {
      encoded = this.#store.encode(rows)
    } catch (error) {
      // One row cannot be encoded, or all of them together are too long for one text.
      return await this.#bisect(batch, error)
    }
    let mayBePosted = rows.some((row) => row.item.void)
    for (let attempt = 0; ; attempt++) {
      try {
        const answers = await this.#store.settle(encoded, mayBePosted, rows)
        this.#recent.add(encoded, this.#ticks())
        return () => this.#deliverResults(batch, answers)
      } catch (error) {
        const repeated = !mayBePosted && (error as { code?: unknown }).code === UNIQUE_VIOLATION
        // It is unknown whether this posting took effect, so the next one has to allow for it.
        mayBePosted = true
        if (repeated) continue
        if (!this.#isTransient(error)) return await this.#bisect(batch, error)
        if (attempt === 0) this.#log.warn({ waiting: batch.length, error: String(error) }, 'settling waits for the database')
        await this.#sleep(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)] ?? 1000)
      }
    }
  }

  /** Keeps one bad row from failing the others: the batch is halved until the bad row stands alone. */
  async #bisect(batch: Pending[], error: unknown): Promise<DeliverResults> {
    const [first] = batch
    if (batch.length === 1 && first) {
      this.#log.error(
        { request: first.row.item.id, error: String(error) },
        'a settlement was refused by the database and is not charged',
      )
      return () => {
        this.#pendingCount--
        first.reject(new InvalidSettlementError(`settlement ${first.row.item.id} was refused`))
      }
    }
    const middle = batch.length >> 1
    for (const half of [batch.slice(0, middle), batch.slice(middle)]) (await this.#commit(half))()
    return () => undefined
  }

  #deliverResults(batch: Pending[], answers: SettlementResult[]): void {
    const byId = new Map(answers.map((answer) => [answer.id, answer]))
    this.#pendingCount -= batch.length
    for (const item of batch) {
      const { id } = item.row.item
      const settled = byId.get(id)
      if (settled) item.resolve(settled)
      else {
        this.#log.error({ request: id }, 'the database did not answer for a settlement')
        item.reject(new InvalidSettlementError(`settlement ${id} has no account`))
      }
    }
  }
}
