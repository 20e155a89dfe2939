/** The colours of the series, the largest first; everything beyond the fourth is the rest. */
export const COLORS = ['var(--series-1)', 'var(--series-2)', 'var(--series-3)', 'var(--series-4)', 'var(--series-rest)'] as const

/** What stands for one unit of time, exactly: as many values as there are series. */
export interface Bar {
  key: string
  /** Under the axis, where there is room for it. */
  label: string
  /** In the note, in the table and for those who hear it. */
  name: string
  values: bigint[]
}

/** How values of a measure are written. */
export interface Measure {
  write(value: bigint): string
  /** At the axis. */
  tick(value: number): string
}

const add = (values: bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n)

/** What a bar comes to, without the series that are hidden. */
export const totalOf = (bar: Bar, hidden: ReadonlySet<number>): bigint => add(bar.values.filter((_, index) => !hidden.has(index)))

/** Marks of an axis from nothing to just above the largest value: three to five steps of 1, 2 or 5. */
export function ticks(largest: number): number[] {
  if (!(largest > 0)) return [0, 1]
  const raw = largest / 4
  const magnitude = 10 ** Math.floor(Math.log10(raw))
  const step = magnitude * ([1, 2, 5, 10].find((factor) => factor * magnitude >= raw) ?? 10)
  const steps = Math.ceil(largest / step - 1e-9)
  return Array.from({ length: steps + 1 }, (_, index) => index * step)
}

/** The bars whose label is written under the axis: at most six, evenly spread, from the first on. */
export function labelledBars(count: number, most = 6): number[] {
  const step = Math.max(1, Math.ceil(count / most))
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step)
}
