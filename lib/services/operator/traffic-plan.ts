import type { TrafficQuery, TrafficRange } from '#lib/contracts/traffic'
import { DAY_MS, HOUR_MS } from '../utc.ts'
import type { Parts } from './traffic-ports.ts'

const MINUTE_MS = 60_000

/** Which rows a range is read from. */
export interface TrafficPlan {
  from: Date
  /** What the sums are of: as few rows as there can be. */
  sums: Parts
  /** What the bars are of. */
  bars: Parts
  barMs: number
}

/** How long a range is, where its first bar begins, and what a bar stands for. */
const SHAPES: Record<TrafficRange, { unitMs: number; units: number; barMs: number }> = {
  '15m': { unitMs: MINUTE_MS, units: 15, barMs: MINUTE_MS },
  '1h': { unitMs: MINUTE_MS, units: 60, barMs: MINUTE_MS },
  '6h': { unitMs: HOUR_MS, units: 6, barMs: 10 * MINUTE_MS },
  '24h': { unitMs: HOUR_MS, units: 24, barMs: HOUR_MS },
  '7d': { unitMs: DAY_MS, units: 7, barMs: 6 * HOUR_MS },
  '30d': { unitMs: DAY_MS, units: 30, barMs: DAY_MS },
}

function starts(fromMs: number, toMs: number, stepMs: number): Date[] {
  const ats: Date[] = []
  for (let at = fromMs; at < toMs; at += stepMs) ats.push(new Date(at))
  return ats
}

/**
 * The rows of a range: the unit of time under way and so many before it. Days that are not added up yet, from
 * `unrolledFrom` on, are read by the hour.
 */
export function planOf({ range }: Pick<TrafficQuery, 'range'>, now: Date, unrolledFrom: Date | null): TrafficPlan {
  const { unitMs, units, barMs } = SHAPES[range]
  const nowMs = now.getTime()
  // What is under way has begun: also at this very moment.
  const toMs = nowMs + 1
  const fromMs = (Math.floor(nowMs / unitMs) - units + 1) * unitMs
  const from = new Date(fromMs)
  if (unitMs === MINUTE_MS) {
    const minutes: Parts = [{ span: 'minute', ats: starts(fromMs, toMs, MINUTE_MS) }]
    return { from, sums: minutes, bars: minutes, barMs }
  }
  const hours: Parts = [{ span: 'hour', ats: starts(fromMs, toMs, HOUR_MS) }]
  if (range === '6h') return { from, sums: hours, bars: [{ span: 'minute', ats: starts(fromMs, toMs, MINUTE_MS) }], barMs }
  if (range === '24h') return { from, sums: hours, bars: hours, barMs }
  const hoursFromMs = Math.min(Math.max(unrolledFrom?.getTime() ?? fromMs, fromMs), toMs)
  const days: Parts = [
    { span: 'day', ats: starts(fromMs, hoursFromMs, DAY_MS) },
    { span: 'hour', ats: starts(hoursFromMs, toMs, HOUR_MS) },
  ]
  return { from, sums: days, bars: range === '7d' ? hours : days, barMs }
}
