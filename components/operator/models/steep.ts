type Rates = Readonly<Record<string, string>>

/** A unit whose price changes steeply; null where it is not sold by it before or after. */
export interface SteepRate {
  unit: string
  before: string | null
  after: string | null
}

/** Whether an amount becomes twice or half of what it was, or begins or ceases to be nothing: more often a slip than meant. */
export const isSteep = (before: bigint, after: bigint): boolean =>
  before !== after && (after >= before * 2n || after * 2n <= before)

/** What a new factor of a group changes steeply; `before` is null for a new group, which may cost what it likes but nothing. */
export function steepFactor(before: number | null, after: number): { before: number | null; after: number } | null {
  const steep = before === null ? after === 0 : isSteep(BigInt(before), BigInt(after))
  return steep ? { before, after } : null
}

/** What a new price changes steeply. A unit that it adds to others is no slip, one that it leaves out or gives away may be. */
export function steepRates(before: Rates | null, after: Rates): SteepRate[] {
  const kept = Object.entries(after).flatMap(([unit, rate]) => {
    const was = before?.[unit] ?? null
    const steep = was === null ? BigInt(rate) === 0n : isSteep(BigInt(was), BigInt(rate))
    return steep ? [{ unit, before: was, after: rate }] : []
  })
  const left = Object.entries(before ?? {}).flatMap(([unit, rate]) =>
    after[unit] === undefined ? [{ unit, before: rate, after: null }] : [],
  )
  return [...kept, ...left]
}
