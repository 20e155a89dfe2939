import type { UsageMeasure, UsageReport } from '#lib/contracts/usage'
import type { Bar, Measure } from '../chart/axis.ts'
import { countMeasure, moneyMeasure } from '../chart/measures.ts'
import type { Format } from '../use-format.ts'

type Amounts = UsageReport['totals']

/** The value of a measure: nano-dollars or a count. */
export const sizeOf = (amounts: Amounts, measure: UsageMeasure): bigint =>
  measure === 'money' ? BigInt(amounts.nano) : BigInt(amounts[measure])

export const measureOf = (measure: UsageMeasure, format: Format): Measure =>
  measure === 'money' ? moneyMeasure : countMeasure(format)

/** The buckets of a report as bars, labeled in their unit of time. */
export function barsOf({ buckets, unit }: Pick<UsageReport, 'buckets' | 'unit'>, format: Format): Bar[] {
  return buckets.map(({ at, values }) => {
    const day = at.slice(0, 10)
    const [label, name] =
      unit === 'hour'
        ? [format.hour(at), format.dayHour(at)]
        : unit === 'day'
          ? [format.day(day), format.day(day)]
          : [format.month(at), format.month(at)]
    return { key: at, label, name, values: values.map(BigInt) }
  })
}

/** The share of a value in a total, from 0 to 1. */
export const shareOf = (value: bigint, sum: bigint): number => (sum === 0n ? 0 : Number(value) / Number(sum))
