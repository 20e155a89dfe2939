import type { Logger } from 'pino'
import type { Deployment } from '../domain/catalog.ts'
import type { AttemptResult } from '../domain/settlement.ts'
import { MINUTE_MS } from '../domain/time-units.ts'
import { faultOf, isFailure } from '../domain/traffic.ts'
import type { FinishedRequest, TrafficPort } from '../gateway/ports.ts'
import type { TrafficRow } from '../store/traffic-writes.ts'
import { Leaf, rowsOf } from './traffic-cells.ts'

/** Traffic is written this often, or less often if the database is slow: writing takes at most a tenth of the time. */
const FLUSH_MS = 1000
const REST_FACTOR = 9
/** How many pairs of deployment and minute may wait for the database, at about 2 KB each. */
const MAX_CELLS = 10_000
/** How many of these one batch takes: adding up everything that gathered while the database was away would delay requests. */
const BATCH_CELLS = 500
const DROP_LOG_DELAY_MS = 10_000

interface Batch {
  number: number
  rows: TrafficRow[]
}

interface Options {
  write(batch: number, rows: TrafficRow[]): Promise<void>
  /** Wall clock in milliseconds. */
  now(): number
  /** Whether a batch that failed with this error may succeed later. */
  isTransient(error: unknown): boolean
  /** Called for each count that was dropped because too many waited. */
  onDropped(): void
  log: Pick<Logger, 'warn' | 'error'>
}

/**
 * Counts the traffic of this process in memory, by minute, model and deployment, and writes it to the database every second,
 * outside of requests. A batch that failed is sent again until the database accepts it. Meanwhile new counts are gathered, up to
 * a limit.
 */
export class TrafficRecorder implements TrafficPort {
  readonly #options: Options
  /** By the start of the minute, then by deployment, or by model if none was called. */
  #minutes = new Map<number, Map<string, Leaf>>()
  #cells = 0
  #latest: { minuteMs: number; leaves: Map<string, Leaf> } | null = null
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> | null = null
  #unwritten: Batch | null = null
  #batches = 0
  #drops = 0
  #waitMs = FLUSH_MS

  constructor(options: Options) {
    this.#options = options
  }

  recordAttempt(modelId: string, deployment: Deployment, result: AttemptResult, isRetry: boolean): void {
    const counts = this.#leaf(modelId, deployment)?.counts
    if (!counts) return
    counts.add('attempts', 1)
    if (isFailure(result)) counts.add('attempt_failures', 1)
    else if (result === 'limited') counts.add('attempt_limits', 1)
    if (isRetry) counts.add('retries', 1)
  }

  recordFinished(item: FinishedRequest): void {
    const leaf = this.#leaf(item.modelId, item.deployment)
    if (!leaf) return
    const { counts, request, call } = leaf
    const fault = faultOf(item.outcome, item.status, item.callResult)
    counts.add('requests', 1)
    if (fault !== null) counts.add(`${fault}_errors`, 1)
    counts.add('input_tokens', Number(item.tokensIn))
    counts.add('output_tokens', Number(item.tokensOut))
    counts.add('charged_nano', Number(item.chargedNano))
    counts.add('vendor_cost_nano', Number(item.vendorCostNano))
    counts.add('shortfall_nano', Number(item.shortfallNano))
    if (item.firstTokenMs !== null) {
      request.addFirstToken(item.firstTokenMs)
      call.addFirstToken(item.callFirstMs ?? item.firstTokenMs)
    }
    if (item.outcome !== 'finished') return
    request.addDuration(item.tookMs)
    call.addDuration(item.callMs ?? item.tookMs)
  }

  /** Writes all that was counted. Resolves when it was written, or after one failure. */
  async drain(): Promise<void> {
    while (this.#writing !== null) await this.#writing
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    await this.#write()
    while (this.#unwritten === null && this.#cells > 0) await this.#write()
    if (this.#timer) clearTimeout(this.#timer)
  }

  #leaf(modelId: string, deployment: Deployment | null): Leaf | null {
    const nowMs = this.#options.now()
    const minuteMs = nowMs - (nowMs % MINUTE_MS)
    if (this.#latest?.minuteMs !== minuteMs) {
      const leaves = this.#minutes.get(minuteMs) ?? new Map<string, Leaf>()
      this.#minutes.set(minuteMs, leaves)
      this.#latest = { minuteMs, leaves }
    }
    const { leaves } = this.#latest
    const key = deployment?.id ?? `/${modelId}`
    const known = leaves.get(key)
    if (known) return known
    if (this.#cells >= MAX_CELLS) {
      this.#countDrop()
      return null
    }
    const leaf = new Leaf(modelId, deployment)
    leaves.set(key, leaf)
    this.#cells++
    this.#schedule()
    return leaf
  }

  #countDrop(): void {
    this.#options.onDropped()
    this.#drops++
    if (this.#drops > 1) return
    setTimeout(() => {
      this.#options.log.error({ count: this.#drops }, 'traffic was not counted: the database does not accept it')
      this.#drops = 0
    }, DROP_LOG_DELAY_MS).unref()
  }

  #schedule(): void {
    if (this.#timer !== null || this.#writing !== null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#writing = this.#write().finally(() => {
        this.#writing = null
        if (this.#unwritten !== null || this.#cells > 0) this.#schedule()
      })
    }, this.#waitMs)
    // A process that stops calls drain(). Otherwise a count must not keep the process alive.
    this.#timer.unref()
  }

  /** Sends the batch that failed before, or else what was gathered since. */
  async #write(): Promise<void> {
    const batch = this.#unwritten ?? this.#takeBatch()
    if (batch === null) return
    const startedMs = performance.now()
    try {
      await this.#options.write(batch.number, batch.rows)
      this.#unwritten = null
    } catch (error) {
      const isRetryable = this.#options.isTransient(error)
      this.#unwritten = isRetryable ? batch : null
      const fields = { error: String(error), rows: batch.rows.length }
      if (isRetryable) this.#options.log.warn(fields, 'traffic is written down later')
      else this.#options.log.error(fields, 'traffic could not be written down')
    }
    this.#waitMs = Math.max(FLUSH_MS, (performance.now() - startedMs) * REST_FACTOR)
  }

  #takeBatch(): Batch | null {
    if (this.#cells === 0) return null
    const minutes = new Map<number, Map<string, Leaf>>()
    let remainingCells = BATCH_CELLS
    for (const [minuteMs, leaves] of this.#minutes) {
      const taken = new Map([...leaves.entries()].slice(0, remainingCells))
      minutes.set(minuteMs, taken)
      for (const key of taken.keys()) leaves.delete(key)
      if (leaves.size === 0) this.#minutes.delete(minuteMs)
      remainingCells -= taken.size
      if (remainingCells === 0) break
    }
    this.#latest = null
    this.#cells -= BATCH_CELLS - remainingCells
    return { number: ++this.#batches, rows: rowsOf(minutes) }
  }
}
