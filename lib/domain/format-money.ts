import { formatDecimal } from './money.ts'

/**
 * How many digits of an amount are written. `short`: cents. `row`: six decimals. `full`: all nine. `exact`: cents, and further
 * digits only if there are any.
 */
export type MoneyStyle = 'short' | 'row' | 'full' | 'exact'

/** An amount as text in two parts: `lead` ends with the cents, `soft` is every digit after them. */
export interface MoneyText {
  lead: string
  soft: string
  text: string
}

const DECIMALS: Record<Exclude<MoneyStyle, 'exact'>, number> = { short: 2, row: 6, full: 9 }

/** Formats a size as a decimal with exactly this many places, with halves rounded up. */
function toPlaces(size: bigint, places: number): string {
  const step = 10n ** BigInt(9 - places)
  const rounded = ((size + step / 2n) / step).toString().padStart(places + 1, '0')
  return places === 0 ? rounded : `${rounded.slice(0, -places)}.${rounded.slice(-places)}`
}

/** How many places it takes to show two significant digits. */
const placesForTwoDigits = (size: bigint): number => Math.min(9, 11 - size.toString().length)

function places(size: bigint, style: MoneyStyle): number {
  if (style === 'exact') return Math.max(2, formatDecimal(size).split('.')[1]?.length ?? 0)
  const wanted = DECIMALS[style]
  // An amount below the last place is never rounded away: what was charged is shown.
  if (size === 0n || size >= 10n ** BigInt(9 - wanted)) return wanted
  return style === 'short' ? placesForTwoDigits(size) : 9
}

const groupThousands = (whole: string): string => whole.replace(/\B(?=(\d{3})+$)/g, ',')

/** Formats nano-dollars for people: `formatMoney(42_180_064_000n, 'exact').text` is `$42.180064`. */
export function formatMoney(amount: bigint | string, style: MoneyStyle = 'short'): MoneyText {
  const value = BigInt(amount)
  const size = value < 0n ? -value : value
  const [whole = '0', fraction = ''] = toPlaces(size, places(size, style)).split('.')
  const lead = `${value < 0n ? '−' : ''}$${groupThousands(whole)}.${fraction.slice(0, 2)}`
  const soft = fraction.slice(2)
  return { lead, soft, text: lead + soft }
}

/** Formats a price per million units or per single unit, with cents and no trailing zeros after them: `$0.075`. */
export function formatPrice(perMillion: bigint | string, per: 'million' | 'one'): string {
  const price = BigInt(perMillion)
  return formatMoney(per === 'million' ? price : price / 1_000_000n, 'exact').text
}

/** Formats a multiplier in basis points as a factor without trailing zeros: 10980 is `1.098`. */
export function formatFactor(basisPoints: number): string {
  const digits = String(basisPoints).padStart(5, '0')
  const fraction = digits.slice(-4).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -4) : `${digits.slice(0, -4)}.${fraction}`
}
