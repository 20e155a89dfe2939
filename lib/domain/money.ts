declare const nanoBrand: unique symbol

/** Whole nano-dollars (1e-9 of the currency unit). */
export type Nano = bigint & { readonly [nanoBrand]: true }

/** Marks a number of nano-dollars as money. */
export const nano = (value: bigint): Nano => value as Nano

const UNIT = 1_000_000_000n
const MILLION = 1_000_000n
const BASIS = 10_000n

/**
 * What `count` units cost at `price` nano-dollars per million units, times a group's multiplier in basis points (10000 is a
 * factor of 1). Rounded up, once. Throws a RangeError if one of them is negative.
 */
export function charge(count: bigint, price: bigint, multiplierBp: bigint): Nano {
  if (count < 0n || price < 0n || multiplierBp < 0n) throw new RangeError('counts, prices and multipliers are not negative')
  const exact = count * price * multiplierBp
  return nano((exact + MILLION * BASIS - 1n) / (MILLION * BASIS))
}

/** Formats money as a decimal of currency units without trailing zeros: `0.0000025`, `-3`. */
export function formatDecimal(amount: bigint): string {
  const sign = amount < 0n ? '-' : ''
  const size = amount < 0n ? -amount : amount
  const fraction = (size % UNIT).toString().padStart(9, '0').replace(/0+$/, '')
  return `${sign}${size / UNIT}${fraction === '' ? '' : `.${fraction}`}`
}

/** Parses a decimal of currency units with up to nine places. Returns null if it is not one. */
export function parseDecimal(text: string): Nano | null {
  const match = /^(\d{1,10})(?:\.(\d{1,9}))?$/.exec(text)
  if (!match) return null
  return nano(BigInt(match[1] ?? '0') * UNIT + BigInt((match[2] ?? '').padEnd(9, '0')))
}

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
export const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)
