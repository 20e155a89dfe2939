const MOST = 1_000_000_000

/** A count that a vendor reports; null where it is missing or makes no sense (negative, fractional, absurdly large). */
export const tokenCount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST ? value : null
