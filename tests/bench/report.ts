/** One line of the report. */
export interface Row {
  measure: string
  gateway: string
  baseline: string
  result: string
  /** Null where nothing is demanded. */
  target: string
  met: boolean | null
}

/** A table as a terminal shows it. */
export function table(rows: readonly Row[]): string {
  const cells = [
    ['measure', 'gateway', 'bare proxy', 'result', 'target', ''],
    ...rows.map((row) => [
      row.measure,
      row.gateway,
      row.baseline,
      row.result,
      row.target,
      row.met === null ? '' : row.met ? 'met' : 'SHORT',
    ]),
  ]
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)))
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`
export const ms = (value: number): string => `${value.toFixed(2)} ms`
export const ratio = (value: number): string => value.toFixed(2)
