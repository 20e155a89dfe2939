import { formatColumns } from '#lib/cli/columns'

/** One line of the report. */
export interface Row {
  measure: string
  gateway: string
  baseline: string
  result: string
  /** Null if there is no target. */
  target: string
  met: boolean | null
}

const HEAD = ['measure', 'gateway', 'bare proxy', 'result', 'target', '']
const verdict = (met: boolean | null): string => (met === null ? '' : met ? 'met' : 'SHORT')

/** A table for a terminal. */
export const table = (rows: readonly Row[]): string =>
  formatColumns([HEAD, ...rows.map((row) => [row.measure, row.gateway, row.baseline, row.result, row.target, verdict(row.met)])])

export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`
export const ms = (value: number): string => `${value.toFixed(2)} ms`
export const ratio = (value: number): string => value.toFixed(2)
