/** A currency as payments are counted in it. */
export interface Currency {
  /** Lower case, as Stripe writes it: `usd`. */
  code: string
  /** Decimal places of its smallest unit in Stripe's API. */
  digits: number
  /** Payable amounts are multiples of so many smallest units. */
  stepMinor: bigint
}

// https://docs.stripe.com/currencies, of November 2026.
const NO_DECIMALS = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '))
const THREE_DECIMALS = new Set('bhd jod kwd omr tnd'.split(' '))
/** Written with two decimals that must be zero. */
const WHOLE_ONLY = new Set(['isk'])
/** Listed with no decimals and described with two: nobody should find out with money. */
const UNCLEAR = new Set(['ugx'])
const KNOWN = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()))

/** What a setting that names a currency takes. */
export const CURRENCY_HELP = 'the three letters of a currency, such as usd, eur or jpy (not ugx)'

/** The currency of a three-letter code in lower case, or null where payments in it are not known to work. */
export function currencyOf(code: string): Currency | null {
  if (!KNOWN.has(code) || UNCLEAR.has(code)) return null
  if (NO_DECIMALS.has(code)) return { code, digits: 0, stepMinor: 1n }
  // Their last digit has to be zero.
  if (THREE_DECIMALS.has(code)) return { code, digits: 3, stepMinor: 10n }
  return { code, digits: 2, stepMinor: WHOLE_ONLY.has(code) ? 100n : 1n }
}

const NANO_DIGITS = 9

/** Nano-dollars of one smallest unit. */
const nanoOfOne = ({ digits }: Currency): bigint => 10n ** BigInt(NANO_DIGITS - digits)

/** An amount in a currency's smallest units; null where it cannot be paid exactly. */
export function toMinor(amountNano: bigint, currency: Currency): bigint | null {
  const step = stepNano(currency)
  return amountNano % step === 0n ? amountNano / nanoOfOne(currency) : null
}

/** Smallest units as nano-dollars. */
export const toNano = (minor: bigint, currency: Currency): bigint => minor * nanoOfOne(currency)

/** What payable amounts are multiples of, in nano-dollars. */
export const stepNano = (currency: Currency): bigint => toNano(currency.stepMinor, currency)
