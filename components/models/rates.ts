import type { ModelRow } from '#lib/contracts/catalog'
import { formatPrice } from '#lib/domain/format-money'
import { type Rates, rateOf } from '#lib/domain/price'
import type { Unit } from '#lib/domain/usage'

/** How a price is told: tokens and characters by the million, everything else by the piece. */
const BY_THE_MILLION = new Set([
  'input',
  'cached_input',
  'cache_write',
  'output',
  'reasoning',
  'image_input',
  'image_output',
  'audio_input',
  'audio_output',
  'character',
])

export const perOf = (unit: string): 'million' | 'one' => (BY_THE_MILLION.has(unit) ? 'million' : 'one')

/** All units, in the order in which they are read; sizes of images come where `image` stands. */
export const UNITS = [
  'input',
  'cached_input',
  'cache_write',
  'output',
  'reasoning',
  'image_input',
  'image_output',
  'audio_input',
  'audio_output',
  'image',
  'audio_second',
  'video_second',
  'character',
  'request',
] as const

function place(unit: string): number {
  const units: readonly string[] = UNITS
  const found = units.indexOf(unit.startsWith('image:') ? 'image' : unit)
  return found === -1 ? UNITS.length : found
}

const BASIS = 10_000n

/** A rate under a group's multiplier. What a whole number cannot say is rounded up, as a charge would be. */
const underGroup = (rate: bigint, multiplierBp: bigint): bigint => (rate * multiplierBp + BASIS - 1n) / BASIS

/** A model's rates as the domain reckons with them. */
export const ratesOf = ({ rates }: Pick<ModelRow, 'rates'>): Rates =>
  Object.fromEntries(Object.entries(rates).map(([unit, rate]) => [unit, BigInt(rate)]))

export interface UnitPrice {
  unit: string
  /** Nano-dollars per million units, the group's factor included. */
  rate: bigint
  per: 'million' | 'one'
  /** As it is written for people. */
  text: string
}

/** Everything that a model's price lists, in the order in which it is read. */
export function unitPrices(model: Pick<ModelRow, 'rates'>, multiplierBp: bigint): UnitPrice[] {
  return Object.entries(model.rates)
    .map(([unit, listed]) => {
      const rate = underGroup(BigInt(listed), multiplierBp)
      const per = perOf(unit)
      return { unit, rate, per, text: formatPrice(rate, per) }
    })
    .sort((a, b) => place(a.unit) - place(b.unit) || (a.unit < b.unit ? -1 : 1))
}

/** What a model is known for, by which it is compared: what goes in, else the cheapest of what comes out. */
export function leadPrice(model: Pick<ModelRow, 'rates'>, multiplierBp: bigint): UnitPrice | null {
  const prices = unitPrices(model, multiplierBp)
  const input = prices.find(({ unit }) => unit === 'input')
  if (input) return input
  const [first] = prices
  if (!first) return null
  const alike = prices.filter(({ unit }) => place(unit) === place(first.unit))
  return alike.reduce((least, price) => (price.rate < least.rate ? price : least))
}

/** The two prices that stand in a list: what goes in and what comes out, or the lead price alone. */
export function headPrices(model: Pick<ModelRow, 'rates'>, multiplierBp: bigint): UnitPrice[] {
  const lead = leadPrice(model, multiplierBp)
  if (!lead) return []
  const all = unitPrices(model, multiplierBp)
  // What draws and speaks in tokens sells tokens of its own kind, which are what it mostly costs.
  const output = all.find(({ unit }) => unit === 'output') ?? all.find(({ unit }) => unit.endsWith('_output'))
  return lead.unit === 'input' && output && output.rate > 0n ? [lead, output] : [lead]
}

/** Whether a model's price has a rate for a unit, its own or the one that stands in. */
export function sells(rates: Rates, unit: Unit): boolean {
  try {
    rateOf(rates, unit)
    return true
  } catch {
    return false
  }
}
