import { formatDecimal } from './money.ts'

/**
 * How much of an amount is written out. `short`: cents. `row`: six decimals. `full`: all nine.
 * `exact`: cents, and further digits only where there are any.
 */
export type MoneyStyle = 'short' | 'row' | 'full' | 'exact'

/** An amount as text, in two tones: `lead` ends with the cents, `soft` is every digit beyond. */
export interface MoneyText {
  lead: string
  soft: string
  text: string
}

const DECIMALS: Record<Exclude<MoneyStyle, 'exact'>, number> = { short: 2, row: 6, full: 9 }

/** A size as a decimal with exactly this many places, halves rounded up. */
function toPlaces(size: bigint, places: number): string {
  const step = 10n ** BigInt(9 - places)
  const rounded = ((size + step / 2n) / step).toString().padStart(places + 1, '0')
  return places === 0 ? rounded : `${rounded.slice(0, -places)}.${rounded.slice(-places)}`
}

/** How many places two significant digits take. */
const placesOfTwo = (size: bigint): number => Math.min(9, 11 - size.toString().length)

function places(size: bigint, style: MoneyStyle): number {
  if (style === 'exact') return Math.max(2, formatDecimal(size).split('.')[1]?.length ?? 0)
  const wanted = DECIMALS[style]
  // What is smaller than the last place is never rounded away: money that was taken is money shown.
  if (size === 0n || size >= 10n ** BigInt(9 - wanted)) return wanted
  return style === 'short' ? placesOfTwo(size) : 9
}

const group = (whole: string): string => whole.replace(/\B(?=(\d{3})+$)/g, ',')

/** Writes nano-dollars for people: `formatMoney(42_180_064_000n, 'exact').text` is `$42.180064`. */
export function formatMoney(amount: bigint | string, style: MoneyStyle = 'short'): MoneyText {
  const value = BigInt(amount)
  const size = value < 0n ? -value : value
  const [whole = '0', fraction = ''] = toPlaces(size, places(size, style)).split('.')
  const lead = `${value < 0n ? '−' : ''}$${group(whole)}.${fraction.slice(0, 2)}`
  const soft = fraction.slice(2)
  return { lead, soft, text: lead + soft }
}

/** Writes a price per million units, or per single unit, with cents and no idle zeros: `$0.075`. */
export function formatPrice(perMillion: bigint | string, per: 'million' | 'one'): string {
  const price = BigInt(perMillion)
  return formatMoney(per === 'million' ? price : price / 1_000_000n, 'exact').text
}

/** The factor of a multiplier in basis points, without idle zeros: 10980 is `1.098`. */
export function formatFactor(basisPoints: number): string {
  const digits = String(basisPoints).padStart(5, '0')
  const fraction = digits.slice(-4).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -4) : `${digits.slice(0, -4)}.${fraction}`
}
