/** The colors of the series, the largest first. Everything beyond the fourth shares the color of the rest. */
export const COLORS = ['var(--series-1)', 'var(--series-2)', 'var(--series-3)', 'var(--series-4)', 'var(--series-rest)'] as const

/** The exact values of one unit of time, one per series. */
export interface Bar {
  key: string
  /** Shown under the axis if there is room. */
  label: string
  /** Shown in the tooltip and the table, and read by screen readers. */
  name: string
  values: bigint[]
}

/** How the values of a measure are formatted. */
export interface Measure {
  format(value: bigint): string
  /** For ticks of the axis. */
  formatTick(value: number): string
}

const add = (values: bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n)

/** The total of a bar without the hidden series. */
export const totalOf = (bar: Bar, hidden: ReadonlySet<number>): bigint => add(bar.values.filter((_, index) => !hidden.has(index)))

/** The height of a bar above zero and its depth below (zero or negative), without the hidden series. */
export function extentOf({ values }: Bar, hidden: ReadonlySet<number>): { above: bigint; below: bigint } {
  const shown = values.filter((_, index) => !hidden.has(index))
  return { above: add(shown.filter((value) => value > 0n)), below: add(shown.filter((value) => value < 0n)) }
}

/** The color of a value: its series' color, or the warning color if it is negative. */
export const colorOf = (series: number, value: bigint): string => (value < 0n ? 'var(--warn)' : (COLORS[series] ?? ''))

/**
 * The ticks of an axis, from just below the smallest value (or zero if none is negative) to just above the largest: three to
 * six steps of 1, 2 or 5 times a power of ten. Zero is always one of them.
 */
export function ticks(largest: number, smallest = 0): number[] {
  const [high, low] = [Math.max(0, largest), Math.min(0, smallest)]
  if (!(high - low > 0)) return [0, 1]
  const raw = (high - low) / 4
  const magnitude = 10 ** Math.floor(Math.log10(raw))
  const step = magnitude * ([1, 2, 5, 10].find((factor) => factor * magnitude >= raw) ?? 10)
  // A side with any value gets at least one step, however small it is next to the other side.
  const steps = (size: number) => (size > 0 ? Math.max(1, Math.ceil(size / step - 1e-9)) : 0)
  const [above, below] = [steps(high), steps(-low)]
  return Array.from({ length: above + below + 1 }, (_, index) => (index - below) * step)
}

const MAX_LABELS = 6

/** The indices of the bars that are labeled under the axis, evenly spaced, starting at the first. */
export function labelledBars(count: number): number[] {
  const step = Math.max(1, Math.ceil(count / MAX_LABELS))
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step)
}

/**
 * The grid style for a number of bars. A page may be painted before all of it has arrived. With a fixed number of columns, each
 * bar is in its final place from the start. Bars that share the available width would move.
 */
export const columnsOf = (bars: number) => ({ gridTemplateColumns: `repeat(${bars}, minmax(0, 1fr))` })
