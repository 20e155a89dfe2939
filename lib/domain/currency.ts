/** A currency, with the units in which payments are counted. */
export interface Currency {
  /** Lower case, as Stripe writes it: `usd`. */
  code: string
  /** Decimal places of the smallest unit in Stripe's API. */
  digits: number
  /** Payable amounts are multiples of this many smallest units. */
  stepMinor: bigint
}

// https://docs.stripe.com/currencies, as of November 2026.
const NO_DECIMALS = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '))
const THREE_DECIMALS = new Set('bhd jod kwd omr tnd'.split(' '))
/** Written with two decimals, which must be zero. */
const ZERO_FRACTION_ONLY = new Set(['isk'])
/** Listed without decimals but described with two. Nobody should find out which is right with real money. */
const UNSUPPORTED = new Set(['ugx'])
const KNOWN = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()))

/** The values that a setting for a currency accepts. */
export const CURRENCY_HELP = 'the three letters of a currency, such as usd, eur or jpy (not ugx)'

/** The currency of a three-letter code in lower case, or null if payments in it are not known to work. */
export function currencyOf(code: string): Currency | null {
  if (!KNOWN.has(code) || UNSUPPORTED.has(code)) return null
  if (NO_DECIMALS.has(code)) return { code, digits: 0, stepMinor: 1n }
  // The last of their three digits has to be zero.
  if (THREE_DECIMALS.has(code)) return { code, digits: 3, stepMinor: 10n }
  return { code, digits: 2, stepMinor: ZERO_FRACTION_ONLY.has(code) ? 100n : 1n }
}

const NANO_DIGITS = 9

/** Nano-dollars in one smallest unit. */
const nanoPerMinorUnit = ({ digits }: Currency): bigint => 10n ** BigInt(NANO_DIGITS - digits)

/** An amount in a currency's smallest units, or null if it cannot be paid exactly. */
export function toMinor(amountNano: bigint, currency: Currency): bigint | null {
  const step = stepNano(currency)
  return amountNano % step === 0n ? amountNano / nanoPerMinorUnit(currency) : null
}

/** Smallest units in nano-dollars. */
export const toNano = (minor: bigint, currency: Currency): bigint => minor * nanoPerMinorUnit(currency)

/** The step of payable amounts, in nano-dollars. */
export const stepNano = (currency: Currency): bigint => toNano(currency.stepMinor, currency)
