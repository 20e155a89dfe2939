import type { RequestChart } from '#lib/contracts/history'

/** How keys move the position among the bars. */
export const MOVES_BY_KEY: Record<string, (place: number, last: number) => number> = {
  ArrowLeft: (place) => Math.max(0, place - 1),
  ArrowRight: (place, last) => Math.min(last, place + 1),
  Home: () => 0,
  End: (_, last) => last,
}

/** The time span of the bars between two positions, in any order. Null if there are no such bars. */
export function spanOf(
  buckets: RequestChart['buckets'],
  bucketMs: number,
  one: number,
  other: number,
): { from: string; to: string } | null {
  const [first, last] = [buckets[Math.min(one, other)], buckets[Math.max(one, other)]]
  if (first === undefined || last === undefined) return null
  return { from: first.at, to: new Date(Date.parse(last.at) + bucketMs).toISOString() }
}
