/**
 * Decimals without rounding, as whole multiples of 1e-24. Vendors write costs with more places than a nano-dollar has, and as
 * printed floats: `0.0038349999999999999`, `1.2e-05`.
 */
const PLACES = 24
const ONE = 10n ** BigInt(PLACES)

/** Parses a decimal, with or without an exponent. Returns null if it is not one, or needs more than 24 places. */
export function parseExact(text: string): bigint | null {
  const match = /^([+-]?)(\d{1,30})?(?:\.(\d{0,60}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text)
  const [, sign, whole = '', fraction = '', exponent = '0'] = match ?? []
  const digits = whole + fraction
  if (!match || digits === '') return null
  const shift = PLACES - fraction.length + Number(exponent)
  const value = BigInt(digits)
  if (shift < 0 && value % 10n ** BigInt(-shift) !== 0n) return null
  const scaled = shift < 0 ? value / 10n ** BigInt(-shift) : value * 10n ** BigInt(shift)
  return sign === '-' ? -scaled : scaled
}

/** A count, or an amount in whole units, as an exact decimal. */
export const exactOf = (count: bigint): bigint => count * ONE

/** Nano-dollars as an exact decimal of dollars. */
export const exactOfNano = (nano: bigint): bigint => (nano * ONE) / 1_000_000_000n

/** Formats an exact decimal without trailing zeros. */
export function formatExact(value: bigint): string {
  const size = value < 0n ? -value : value
  const fraction = (size % ONE).toString().padStart(PLACES, '0').replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${size / ONE}${fraction === '' ? '' : `.${fraction}`}`
}
