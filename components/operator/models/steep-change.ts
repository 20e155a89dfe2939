type Rates = Readonly<Record<string, string>>

/** A unit whose price changes steeply. `before` or `after` is null if the model is not priced by it then. */
export interface SteepRate {
  unit: string
  before: string | null
  after: string | null
}

/** Whether an amount at least doubles or halves, or changes from or to zero, which is more often a mistake than intended. */
export const isSteep = (before: bigint, after: bigint): boolean =>
  before !== after && (after >= before * 2n || after * 2n <= before)

/** A steep change by a group's new factor. `before` is null for a new group, for which only the factor 0 counts. */
export function steepFactorChange(before: number | null, after: number): { before: number | null; after: number } | null {
  const steep = before === null ? after === 0 : isSteep(BigInt(before), BigInt(after))
  return steep ? { before, after } : null
}

/** The steep changes of a new price. A unit that is added is not a mistake, unless it is free. One that is removed may be. */
export function steepRateChanges(before: Rates | null, after: Rates): SteepRate[] {
  const changed = Object.entries(after).flatMap(([unit, rate]) => {
    const was = before?.[unit] ?? null
    const steep = was === null ? BigInt(rate) === 0n : isSteep(BigInt(was), BigInt(rate))
    return steep ? [{ unit, before: was, after: rate }] : []
  })
  const removed = Object.entries(before ?? {}).flatMap(([unit, rate]) =>
    after[unit] === undefined ? [{ unit, before: rate, after: null }] : [],
  )
  return [...changed, ...removed]
}
