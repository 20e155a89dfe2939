import { formatMoney } from '#lib/domain/format-money'
import type { Format } from '../use-format.ts'
import type { Measure } from './axis.ts'

/** Values in nano-dollars. */
export const moneyMeasure: Measure = {
  format: (value) => formatMoney(value).text,
  formatTick: (value) => formatMoney(BigInt(Math.round(value)), 'exact').text.replace(/\.00$/, ''),
}

/** The same with all digits, for values that cents would hide. */
export const exactMoneyMeasure: Measure = { ...moneyMeasure, format: (value) => formatMoney(value, 'exact').text }

/** Counts. Ticks between whole numbers have no label. */
export const countMeasure = (format: Format): Measure => ({
  format: (value) => format.count(Number(value)),
  formatTick: (value) => (Number.isInteger(value) ? format.compact(value) : ''),
})

/** Values in microseconds. */
export const timeMeasure = (format: Format): Measure => ({
  format: (value) => (value === 0n ? '–' : format.duration(Number(value) / 1000)),
  formatTick: (value) => format.duration(value / 1000),
})
