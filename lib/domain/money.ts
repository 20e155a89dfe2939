declare const nanoBrand: unique symbol

/** Whole nano-dollars (1e-9 of the currency unit). */
export type Nano = bigint & { readonly [nanoBrand]: true }

/** Marks a number of nano-dollars as money. */
export const nano = (value: bigint): Nano => value as Nano

const NANO_PER_UNIT = 1_000_000_000n
const MILLION = 1_000_000n
const BASIS_POINTS = 10_000n

/**
 * What `count` units cost at `price` nano-dollars per million units, times a group's multiplier in basis points (10000 is a
 * factor of 1). Rounded up, once. Throws a RangeError if one of them is negative.
 */
export function charge(count: bigint, price: bigint, multiplierBp: bigint): Nano {
  if (count < 0n || price < 0n || multiplierBp < 0n) throw new RangeError('counts, prices and multipliers are not negative')
  const exact = count * price * multiplierBp
  return nano((exact + MILLION * BASIS_POINTS - 1n) / (MILLION * BASIS_POINTS))
}

/** Formats money as a decimal of currency units without trailing zeros: `0.0000025`, `-3`. */
export function formatDecimal(amount: bigint): string {
  const sign = amount < 0n ? '-' : ''
  const size = amount < 0n ? -amount : amount
  const fraction = (size % NANO_PER_UNIT).toString().padStart(9, '0').replace(/0+$/, '')
  return `${sign}${size / NANO_PER_UNIT}${fraction === '' ? '' : `.${fraction}`}`
}

/** Parses a decimal of currency units with up to nine places. Returns null if it is not one. */
export function parseDecimal(text: string): Nano | null {
  const match = /^(\d{1,10})(?:\.(\d{1,9}))?$/.exec(text)
  if (!match) return null
  return nano(BigInt(match[1] ?? '0') * NANO_PER_UNIT + BigInt((match[2] ?? '').padEnd(9, '0')))
}

export const minBigInt = (a: bigint, b: bigint): bigint => (a < b ? a : b)
export const maxBigInt = (a: bigint, b: bigint): bigint => (a > b ? a : b)
