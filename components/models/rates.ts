import type { ModelRow } from '#lib/contracts/catalog'
import { formatPrice } from '#lib/domain/format-money'

/** Units whose price is given per million: tokens and characters. All others are priced individually. */
const PER_MILLION_UNITS = new Set([
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

export const pricedPer = (unit: string): 'million' | 'one' => (PER_MILLION_UNITS.has(unit) ? 'million' : 'one')

/** All units, in display order. Image sizes come in the place of `image`. */
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
  'web_search',
  'request',
] as const

function displayOrder(unit: string): number {
  const units: readonly string[] = UNITS
  const found = units.indexOf(unit.startsWith('image:') ? 'image' : unit)
  return found === -1 ? UNITS.length : found
}

const BASIS_POINTS = 10_000n

/** A rate with a group's multiplier, rounded up to a whole number like a charge. */
const applyMultiplier = (rate: bigint, multiplierBp: bigint): bigint => (rate * multiplierBp + BASIS_POINTS - 1n) / BASIS_POINTS

export interface UnitPrice {
  unit: string
  /** Nano-dollars per million units, including the group's factor. */
  rate: bigint
  per: 'million' | 'one'
  /** The formatted price. */
  text: string
}

/** All prices of a model, in display order. */
export function unitPrices(model: Pick<ModelRow, 'rates'>, multiplierBp: bigint): UnitPrice[] {
  return Object.entries(model.rates)
    .map(([unit, listed]) => {
      const rate = applyMultiplier(BigInt(listed), multiplierBp)
      const per = pricedPer(unit)
      return { unit, rate, per, text: formatPrice(rate, per) }
    })
    .sort((a, b) => displayOrder(a.unit) - displayOrder(b.unit) || (a.unit < b.unit ? -1 : 1))
}

/** The price that represents a model in comparisons: its input price, or else the cheapest one of its first kind of unit. */
export function leadPrice(model: Pick<ModelRow, 'rates'>, multiplierBp: bigint): UnitPrice | null {
  const prices = unitPrices(model, multiplierBp)
  const input = prices.find(({ unit }) => unit === 'input')
  if (input) return input
  const [first] = prices
  if (!first) return null
  const sameKind = prices.filter(({ unit }) => displayOrder(unit) === displayOrder(first.unit))
  return sameKind.reduce((cheapest, price) => (price.rate < cheapest.rate ? price : cheapest))
}

/** Modalities whose output is text that is sold. Lists of prices give a free output to others that have none, such as embeddings. */
const WRITES_TEXT: ReadonlySet<string> = new Set(['chat', 'completion'])

/** The two prices that a list shows: input and output, or the lead price alone. */
export function headPrices(model: Pick<ModelRow, 'rates' | 'modality'>, multiplierBp: bigint): UnitPrice[] {
  const lead = leadPrice(model, multiplierBp)
  if (!lead) return []
  const all = unitPrices(model, multiplierBp)
  // Models that generate images or audio as tokens have their own output units, which make up most of the cost.
  const output = all.find(({ unit }) => unit === 'output') ?? all.find(({ unit }) => unit.endsWith('_output'))
  return lead.unit === 'input' && output && (output.rate > 0n || WRITES_TEXT.has(model.modality)) ? [lead, output] : [lead]
}
