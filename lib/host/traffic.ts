import type { Logger } from 'pino'
import type { Deployment } from '../domain/catalog.ts'
import { BUCKETS, bucketOf, type Histogram, packBuckets } from '../domain/histogram.ts'
import type { AttemptResult } from '../domain/settlement.ts'
import { COUNTS, type Count, faultOf, type Grain, isFailure, type Span } from '../domain/traffic.ts'
import type { FinishedRequest, TrafficPort } from '../gateway/ports.ts'
import type { TrafficRow } from '../store/traffic-writes.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** Written this often, or less often where the database takes longer: at most a tenth of the time is spent on it. */
const FLUSH_MS = 1000
const REST = 9
/** Deployments and minutes that may wait for the database, at about 2 KB each. */
const MOST_CELLS = 10_000
const DROP_LOG_MS = 10_000

const PLACE = Object.fromEntries(COUNTS.map((name, at) => [name, at])) as Record<Count, number>
/** What is of requests, and what of attempts: rows of models and deployments have both. */
type Times = 'request' | 'call'

/** What was counted: sums, and histograms. Of requests the time that clients saw, of calls the vendor's. */
class Cell {
  readonly sums = new Float64Array(COUNTS.length)
  readonly first: Histogram = new Uint32Array(BUCKETS)
  readonly took: Histogram = new Uint32Array(BUCKETS)

  add(name: Count, value: number): void {
    const at = PLACE[name]
    this.sums[at] = (this.sums[at] ?? 0) + value
  }

  addFirst(ms: number): void {
    this.add('firsts', 1)
    this.add('first_ms', ms)
    const bucket = bucketOf(ms)
    this.first[bucket] = (this.first[bucket] ?? 0) + 1
  }

  addTook(ms: number): void {
    this.add('answers', 1)
    this.add('took_ms', ms)
    const bucket = bucketOf(ms)
    this.took[bucket] = (this.took[bucket] ?? 0) + 1
  }

  merge(other: Cell): void {
    for (let at = 0; at < COUNTS.length; at++) this.sums[at] = (this.sums[at] ?? 0) + (other.sums[at] ?? 0)
    for (let at = 0; at < BUCKETS; at++) {
      this.first[at] = (this.first[at] ?? 0) + (other.first[at] ?? 0)
      this.took[at] = (this.took[at] ?? 0) + (other.took[at] ?? 0)
    }
  }
}

/** One model at one deployment, or at none, in one minute. What all, models and connections have is added up of these. */
interface Leaf {
  modelId: string
  deployment: Deployment | null
  /** All sums; times as clients saw them. */
  request: Cell
  /** Times of the calls alone. */
  call: Cell
}

interface Batch {
  number: number
  rows: TrafficRow[]
}

interface Options {
  write(batch: number, rows: TrafficRow[]): Promise<void>
  /** Wall clock in milliseconds. */
  now(): number
  /** Whether a batch that failed may be taken later. */
  isTransient(error: unknown): boolean
  /** Told of each count that was dropped because too much waited. */
  dropped(): void
  log: Pick<Logger, 'warn' | 'error'>
}

/**
 * Counts what goes on in this process, by minute, model and deployment, in memory, and writes it down every second, away
 * from the requests. A batch that the database did not take is sent again until it does; meanwhile what is new is gathered,
 * up to a bound.
 */
export class TrafficRecorder implements TrafficPort {
  readonly #options: Options
  /** By the start of the minute, then by deployment, or by model where none was called. */
  #minutes = new Map<number, Map<string, Leaf>>()
  #cells = 0
  #latest: { minuteMs: number; leaves: Map<string, Leaf> } | null = null
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> | null = null
  #unsent: Batch | null = null
  #batches = 0
  #drops = 0
  #waitMs = FLUSH_MS

  constructor(options: Options) {
    this.#options = options
  }

  attempted(modelId: string, deployment: Deployment, result: AttemptResult, again: boolean): void {
    const cell = this.#leaf(modelId, deployment)?.request
    if (!cell) return
    cell.add('attempts', 1)
    if (isFailure(result)) cell.add('attempt_failures', 1)
    else if (result === 'limited') cell.add('attempt_limits', 1)
    if (again) cell.add('retries', 1)
  }

  finished(item: FinishedRequest): void {
    const leaf = this.#leaf(item.modelId, item.deployment)
    if (!leaf) return
    const { request, call } = leaf
    const fault = faultOf(item.outcome, item.status)
    request.add('requests', 1)
    if (fault !== null) request.add(`${fault}_errors`, 1)
    request.add('input_tokens', Number(item.tokensIn))
    request.add('output_tokens', Number(item.tokensOut))
    request.add('charged_nano', Number(item.chargedNano))
    request.add('vendor_cost_nano', Number(item.vendorCostNano))
    request.add('shortfall_nano', Number(item.shortfallNano))
    if (item.firstTokenMs !== null) {
      request.addFirst(item.firstTokenMs)
      call.addFirst(item.callFirstMs ?? item.firstTokenMs)
    }
    if (item.outcome !== 'finished') return
    request.addTook(item.tookMs)
    call.addTook(item.callMs ?? item.tookMs)
  }

  /** Writes what is there, now. Resolves when that was taken, or refused once. */
  async drain(): Promise<void> {
    while (this.#writing !== null) await this.#writing
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    await this.#write()
    if (this.#unsent === null && this.#cells > 0) await this.#write()
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
    if (this.#cells >= MOST_CELLS) {
      this.#drop()
      return null
    }
    const leaf = { modelId, deployment, request: new Cell(), call: new Cell() }
    leaves.set(key, leaf)
    this.#cells++
    this.#schedule()
    return leaf
  }

  #drop(): void {
    this.#options.dropped()
    this.#drops++
    if (this.#drops > 1) return
    setTimeout(() => {
      this.#options.log.error({ count: this.#drops }, 'traffic was not counted: the database does not take it')
      this.#drops = 0
    }, DROP_LOG_MS).unref()
  }

  #schedule(): void {
    if (this.#timer !== null || this.#writing !== null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#writing = this.#write().finally(() => {
        this.#writing = null
        if (this.#unsent !== null || this.#cells > 0) this.#schedule()
      })
    }, this.#waitMs)
    // Who stops drains; nobody else has to wait for a count.
    this.#timer.unref()
  }

  /** Sends the batch that could not be sent before, else what was gathered since. */
  async #write(): Promise<void> {
    const batch = this.#unsent ?? this.#take()
    if (batch === null) return
    const startedMs = performance.now()
    try {
      await this.#options.write(batch.number, batch.rows)
      this.#unsent = null
    } catch (error) {
      const again = this.#options.isTransient(error)
      this.#unsent = again ? batch : null
      const fields = { error: String(error), rows: batch.rows.length }
      if (again) this.#options.log.warn(fields, 'traffic is written down later')
      else this.#options.log.error(fields, 'traffic could not be written down')
    }
    this.#waitMs = Math.max(FLUSH_MS, (performance.now() - startedMs) * REST)
  }

  #take(): Batch | null {
    if (this.#cells === 0) return null
    const minutes = this.#minutes
    this.#minutes = new Map()
    this.#latest = null
    this.#cells = 0
    return { number: ++this.#batches, rows: [...rowsOf(minutes, 'minute', MINUTE_MS), ...rowsOf(minutes, 'hour', HOUR_MS)] }
  }
}

/** The rows of one span: what was counted, added up for all, each model, each connection and each deployment. */
function rowsOf(minutes: ReadonlyMap<number, ReadonlyMap<string, Leaf>>, span: Span, spanMs: number): TrafficRow[] {
  const cells = new Map<string, { grain: Grain; atMs: number; id: string; cell: Cell }>()
  const add = (grain: Grain, atMs: number, id: string, times: Times, leaf: Leaf) => {
    const key = `${grain} ${atMs} ${id}`
    let row = cells.get(key)
    if (!row) {
      row = { grain, atMs, id, cell: new Cell() }
      cells.set(key, row)
    }
    row.cell.merge(times === 'request' ? leaf.request : timesOfCall(leaf))
  }
  for (const [minuteMs, leaves] of minutes)
    for (const leaf of leaves.values()) {
      const atMs = minuteMs - (minuteMs % spanMs)
      add('all', atMs, '', 'request', leaf)
      if (leaf.modelId !== '') add('model', atMs, leaf.modelId, 'request', leaf)
      if (leaf.deployment === null) continue
      add('connection', atMs, leaf.deployment.connection.id, 'call', leaf)
      add('deployment', atMs, leaf.deployment.id, 'call', leaf)
    }
  return [...cells.values()].map(({ grain, atMs, id, cell }) => rowOf(span, grain, new Date(atMs), id, cell))
}

/** What was counted of requests, with the times of the calls. */
function timesOfCall({ request, call }: Leaf): Cell {
  const cell = new Cell()
  cell.sums.set(request.sums)
  for (const name of ['firsts', 'answers', 'first_ms', 'took_ms'] as const) cell.sums[PLACE[name]] = call.sums[PLACE[name]] ?? 0
  cell.first.set(call.first)
  cell.took.set(call.took)
  return cell
}

function rowOf(span: Span, grain: Grain, at: Date, id: string, cell: Cell): TrafficRow {
  const sums = Object.fromEntries(COUNTS.map((name) => [name, cell.sums[PLACE[name]] ?? 0])) as Record<Count, number>
  return { span, grain, at, id, ...sums, first_buckets: packBuckets(cell.first), took_buckets: packBuckets(cell.took) }
}
