import { charge, type Nano, nano } from './money.ts'
import type { Certainty, MediaUnit, Unit, Usage } from './usage.ts'

/** Nano-dollars per million units. A unit that has no rate cannot be sold. */
export type Rates = { readonly [unit in Unit]?: bigint }

/** Rates as decimal digits, for JSON, whose numbers cannot hold them. */
export const formatRates = (rates: Rates): Record<string, string> =>
  Object.fromEntries(Object.entries(rates).map(([unit, rate]) => [unit, String(rate)]))

/** Rates from decimal digits. */
export const parseRates = (texts: Readonly<Record<string, string>>): Rates =>
  Object.fromEntries(Object.entries(texts).map(([unit, rate]) => [unit, BigInt(rate)]))

/** A version of a model's price, in force from `from`. */
export interface ModelPrice {
  id: string
  from: Date
  rates: Rates
  vendorRates: Rates
}

export interface ReceiptLine {
  unit: Unit
  count: bigint
  price: bigint
  amount: Nano
}

/** What a request costs and why, line by line. The prices are pinned at admission; it can be read without a look-up. */
export interface Receipt {
  priceId: string
  priceFrom: Date
  groupName: string
  multiplierBp: bigint
  lines: ReceiptLine[]
  total: Nano
  vendorCost: Nano
  certainty: Certainty
}

/** A unit was used that the price has no rate for. Thrown so that nothing is free by accident. */
export class UnpricedUnitError extends Error {
  readonly code = 'unpriced_unit'
  readonly unit: Unit
  constructor(unit: Unit) {
    super(`The price has no rate for the unit "${unit}".`)
    this.unit = unit
  }
}

/** The unit whose rate applies if a price does not name a unit of the same kind. */
const FALLBACK_UNITS: { readonly [unit in Unit]?: Unit } = {
  cached_input: 'input',
  cache_write: 'input',
  reasoning: 'output',
  image_input: 'input',
  audio_input: 'input',
  image_output: 'output',
  audio_output: 'output',
}

const fallbackUnit = (unit: Unit): Unit => FALLBACK_UNITS[unit] ?? (unit.startsWith('image:') ? 'image' : unit)

/** The rate of a unit, in nano-dollars per million. Throws UnpricedUnitError if there is none. */
export function rateOf(rates: Rates, unit: Unit): bigint {
  const rate = findRate(rates, unit)
  if (rate === undefined) throw new UnpricedUnitError(unit)
  return rate
}

const findRate = (rates: Rates, unit: Unit): bigint | undefined => rates[unit] ?? rates[fallbackUnit(unit)]

/** Whether a price can bill a unit. */
export const hasRate = (rates: Rates, unit: Unit): boolean => findRate(rates, unit) !== undefined

/** What the vendor bills. Searches of the web can be priced later than the rest; until their cost is known, it is their price. */
export const withSearchCost = (vendorRates: Rates, { web_search: price }: Rates): Rates =>
  price === undefined || vendorRates.web_search !== undefined ? vendorRates : { ...vendorRates, web_search: price }

/** The highest rate at which a token of input can be billed. */
export function maxInputRate(rates: Rates): bigint {
  return [rateOf(rates, 'input'), rates.cached_input ?? 0n, rates.cache_write ?? 0n].reduce((a, b) => (a > b ? a : b))
}

/** The highest rate at which a token of output can be billed: of text, of reasoning, or of an image that a chat model makes. */
export function maxOutputRate(rates: Rates): bigint {
  return [rateOf(rates, 'output'), rates.reasoning ?? 0n, rates.image_output ?? 0n].reduce((a, b) => (a > b ? a : b))
}

/** The media of a usage, unit by unit. */
export const mediaCounts = ({ media }: Usage): [MediaUnit, bigint][] =>
  media ? (Object.entries(media) as [MediaUnit, bigint][]) : []

function linesOf(usage: Usage, rates: Rates, multiplierBp: bigint): ReceiptLine[] {
  const lines: ReceiptLine[] = []
  const add = (unit: Unit, count: bigint): void => {
    if (count <= 0n) return
    const price = rateOf(rates, unit)
    lines.push({ unit, count, price, amount: charge(count, price, multiplierBp) })
  }
  const separateReasoning = rates.reasoning !== undefined
  if (rates.request !== undefined) add('request', usage.requests)
  add('input', usage.input)
  add('cached_input', usage.cachedInput)
  add('cache_write', usage.cacheWrite)
  add('output', separateReasoning ? usage.output - usage.reasoning : usage.output)
  if (separateReasoning) add('reasoning', usage.reasoning)
  for (const [unit, count] of mediaCounts(usage)) add(unit, count)
  return lines
}

const sum = (lines: ReceiptLine[]): Nano => nano(lines.reduce((total, line) => total + line.amount, 0n))

/** Prices a usage. Each line is rounded up once, and the total is their sum. Throws UnpricedUnitError if a rate is missing. */
export function priceUsage(
  usage: Usage,
  price: ModelPrice,
  group: { name: string; multiplierBp: bigint },
  certainty: Certainty,
): Receipt {
  const lines = linesOf(usage, price.rates, group.multiplierBp)
  return {
    priceId: price.id,
    priceFrom: price.from,
    groupName: group.name,
    multiplierBp: group.multiplierBp,
    lines,
    total: sum(lines),
    vendorCost: sum(linesOf(usage, price.vendorRates, 10_000n)),
    certainty,
  }
}
