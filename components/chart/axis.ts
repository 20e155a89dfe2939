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

/** How far a bar rises above nothing, and how far it goes below (as a value that is not positive), without what is hidden. */
export function extentOf({ values }: Bar, hidden: ReadonlySet<number>): { above: bigint; below: bigint } {
  const shown = values.filter((_, index) => !hidden.has(index))
  return { above: add(shown.filter((value) => value > 0n)), below: add(shown.filter((value) => value < 0n)) }
}

/** What a value is drawn in: the colour of its series, and that of a warning where it is below nothing. */
export const colorOf = (series: number, value: bigint): string => (value < 0n ? 'var(--warn)' : (COLORS[series] ?? ''))

/**
 * Marks of an axis from just below the least value, or from nothing where none is negative, to just above the largest:
 * three to six steps of 1, 2 or 5. Nothing is always one of them.
 */
export function ticks(largest: number, least = 0): number[] {
  const [high, low] = [Math.max(0, largest), Math.min(0, least)]
  if (!(high - low > 0)) return [0, 1]
  const raw = (high - low) / 4
  const magnitude = 10 ** Math.floor(Math.log10(raw))
  const step = magnitude * ([1, 2, 5, 10].find((factor) => factor * magnitude >= raw) ?? 10)
  // However small beside the other side, what is not nothing has a place of its own.
  const steps = (size: number) => (size > 0 ? Math.max(1, Math.ceil(size / step - 1e-9)) : 0)
  const [above, below] = [steps(high), steps(-low)]
  return Array.from({ length: above + below + 1 }, (_, index) => (index - below) * step)
}

/** The bars whose label is written under the axis: at most six, evenly spread, from the first on. */
export function labelledBars(count: number, most = 6): number[] {
  const step = Math.max(1, Math.ceil(count / most))
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step)
}

/**
 * The style of a grid of so many bars. A page may be drawn before all of it has come: each bar is then where it stays, which
 * bars that share what room there is are not.
 */
export const columnsOf = (bars: number) => ({ gridTemplateColumns: `repeat(${bars}, minmax(0, 1fr))` })
