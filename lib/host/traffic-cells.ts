import type { Deployment } from '../domain/catalog.ts'
import { BUCKETS, bucketOf, type Histogram, packBuckets } from '../domain/histogram.ts'
import { HOUR_MS } from '../domain/time-units.ts'
import { COUNTS, type Count, type Grain, type Span } from '../domain/traffic.ts'
import type { TrafficRow } from '../store/traffic-writes.ts'

const COUNT_INDEX = Object.fromEntries(COUNTS.map((name, at) => [name, at])) as Record<Count, number>

function addAll(to: Float64Array | Histogram, from: Float64Array | Histogram): void {
  for (let at = 0; at < to.length; at++) to[at] = (to[at] ?? 0) + (from[at] ?? 0)
}

/** How long things took: until the first token, and until the end of the response. */
export class Times {
  firsts = 0
  firstMs = 0
  answers = 0
  tookMs = 0
  readonly first: Histogram = new Uint32Array(BUCKETS)
  readonly took: Histogram = new Uint32Array(BUCKETS)

  addFirstToken(ms: number): void {
    this.firsts++
    this.firstMs += ms
    const bucket = bucketOf(ms)
    this.first[bucket] = (this.first[bucket] ?? 0) + 1
  }

  addDuration(ms: number): void {
    this.answers++
    this.tookMs += ms
    const bucket = bucketOf(ms)
    this.took[bucket] = (this.took[bucket] ?? 0) + 1
  }

  merge(other: Times): void {
    this.firsts += other.firsts
    this.firstMs += other.firstMs
    this.answers += other.answers
    this.tookMs += other.tookMs
    if (other.firsts > 0) addAll(this.first, other.first)
    if (other.answers > 0) addAll(this.took, other.took)
  }
}

/** All counts except times. Doubles hold any second's nano-dollars exactly. */
export class Counts {
  readonly sums = new Float64Array(COUNTS.length)

  add(name: Count, value: number): void {
    const at = COUNT_INDEX[name]
    this.sums[at] = (this.sums[at] ?? 0) + value
  }
}

/**
 * One model at one deployment, or at none, in one minute. The sums for all traffic, models and connections are built from these.
 */
export class Leaf {
  readonly modelId: string
  readonly deployment: Deployment | null
  readonly counts = new Counts()
  /** As clients saw them. */
  readonly request = new Times()
  /** Of the calls to the vendor alone. */
  readonly call = new Times()

  constructor(modelId: string, deployment: Deployment | null) {
    this.modelId = modelId
    this.deployment = deployment
  }
}

interface Cell {
  grain: Grain
  atMs: number
  id: string
  counts: Counts
  times: Times
}

/** Cells by their subject. Each is created when something is first added to it. */
class Cells {
  readonly all = new Map<string, Cell>()

  add(grain: Grain, atMs: number, id: string, counts: Counts, times: Times): void {
    const key = `${grain} ${atMs} ${id}`
    let cell = this.all.get(key)
    if (!cell) {
      cell = { grain, atMs, id, counts: new Counts(), times: new Times() }
      this.all.set(key, cell)
    }
    addAll(cell.counts.sums, counts.sums)
    cell.times.merge(times)
  }
}

function rowOf(span: Span, { grain, id, counts, times }: Cell, atMs: number): TrafficRow {
  const sums = Object.fromEntries(COUNTS.map((name, at) => [name, counts.sums[at] ?? 0])) as Record<Count, number>
  const { firsts, firstMs, answers, tookMs } = times
  return {
    ...{ span, grain, at: new Date(atMs), id, ...sums, firsts, first_ms: firstMs, answers, took_ms: tookMs },
    first_buckets: packBuckets(times.first),
    took_buckets: packBuckets(times.took),
  }
}

/** The rows for what was counted, by the start of its minute: by every grain, for each minute and for each hour. */
export function rowsOf(minutes: ReadonlyMap<number, ReadonlyMap<string, Leaf>>): TrafficRow[] {
  const cells = new Cells()
  for (const [minuteMs, leaves] of minutes)
    for (const { modelId, deployment, counts, request, call } of leaves.values()) {
      cells.add('all', minuteMs, '', counts, request)
      if (modelId !== '') cells.add('model', minuteMs, modelId, counts, request)
      if (deployment === null) continue
      cells.add('connection', minuteMs, deployment.connection.id, counts, call)
      cells.add('deployment', minuteMs, deployment.id, counts, call)
    }
  const hourOf = (atMs: number): number => atMs - (atMs % HOUR_MS)
  const byMinute = [...cells.all.values()].map((cell) => rowOf('minute', cell, cell.atMs))
  // Nearly always there is only one minute, and then the hour's row has the same sums.
  if (minutes.size === 1)
    return [...byMinute, ...byMinute.map((row): TrafficRow => ({ ...row, span: 'hour', at: new Date(hourOf(row.at.getTime())) }))]
  const hours = new Cells()
  for (const { grain, atMs, id, counts, times } of cells.all.values()) hours.add(grain, hourOf(atMs), id, counts, times)
  return [...byMinute, ...[...hours.all.values()].map((cell) => rowOf('hour', cell, cell.atMs))]
}
