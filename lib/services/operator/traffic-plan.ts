import type { TrafficQuery, TrafficRange } from '#lib/contracts/traffic'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time-units.ts'
import type { Parts } from './traffic-ports.ts'

/** The rows that a range is read from. */
export interface TrafficPlan {
  from: Date
  /** The rows of the sums: as few as possible. */
  sums: Parts
  /** The rows of the bars. */
  bars: Parts
  barMs: number
}

/** The unit and number of units of each range, and the time span of a bar. */
const RANGE_SHAPES: Record<TrafficRange, { unitMs: number; units: number; barMs: number }> = {
  '15m': { unitMs: MINUTE_MS, units: 15, barMs: MINUTE_MS },
  '1h': { unitMs: MINUTE_MS, units: 60, barMs: MINUTE_MS },
  '6h': { unitMs: HOUR_MS, units: 6, barMs: 10 * MINUTE_MS },
  '24h': { unitMs: HOUR_MS, units: 24, barMs: HOUR_MS },
  '7d': { unitMs: DAY_MS, units: 7, barMs: 6 * HOUR_MS },
  '30d': { unitMs: DAY_MS, units: 30, barMs: DAY_MS },
}

function bucketStarts(fromMs: number, toMs: number, stepMs: number): Date[] {
  const ats: Date[] = []
  for (let at = fromMs; at < toMs; at += stepMs) ats.push(new Date(at))
  return ats
}

/**
 * Plans the rows of a range: the current unit of time and the units before it. Days that are not added up yet, from
 * `notRolledUpFrom` on, are read by hour.
 */
export function planOf({ range }: Pick<TrafficQuery, 'range'>, now: Date, notRolledUpFrom: Date | null): TrafficPlan {
  const { unitMs, units, barMs } = RANGE_SHAPES[range]
  const nowMs = now.getTime()
  // One millisecond more, so that a unit that begins exactly now is included.
  const toMs = nowMs + 1
  const fromMs = (Math.floor(nowMs / unitMs) - units + 1) * unitMs
  const from = new Date(fromMs)
  if (unitMs === MINUTE_MS) {
    const minutes: Parts = [{ span: 'minute', ats: bucketStarts(fromMs, toMs, MINUTE_MS) }]
    return { from, sums: minutes, bars: minutes, barMs }
  }
  const hours: Parts = [{ span: 'hour', ats: bucketStarts(fromMs, toMs, HOUR_MS) }]
  if (range === '6h') return { from, sums: hours, bars: [{ span: 'minute', ats: bucketStarts(fromMs, toMs, MINUTE_MS) }], barMs }
  if (range === '24h') return { from, sums: hours, bars: hours, barMs }
  const hoursFromMs = Math.min(Math.max(notRolledUpFrom?.getTime() ?? fromMs, fromMs), toMs)
  const days: Parts = [
    { span: 'day', ats: bucketStarts(fromMs, hoursFromMs, DAY_MS) },
    { span: 'hour', ats: bucketStarts(hoursFromMs, toMs, HOUR_MS) },
  ]
  return { from, sums: days, bars: range === '7d' ? hours : days, barMs }
}
