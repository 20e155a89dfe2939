import { MAX_RATE_NANO } from '#lib/contracts/operator'
import { formatDecimal, parseDecimal } from '#lib/domain/money'
import { pricedPer } from '../../models/rates.ts'
import { withoutGroups } from '../../read-amount.ts'

/** One line of a price form. `known` is the rate that the text was made from. */
export interface RateLine {
  unit: string
  /** Dollars per million units, or per unit if the unit is sold individually. */
  text: string
  known: { text: string; rate: string } | null
}

const MILLION = 1_000_000n

/** A rate in dollars: per million, or per unit with at most nine decimals. */
export const rateText = (unit: string, rate: string): string =>
  formatDecimal(pricedPer(unit) === 'million' ? BigInt(rate) : BigInt(rate) / MILLION)

/** The form lines for rates in nano-dollars per million units. */
export const rateLines = (rates: Readonly<Record<string, string>>): RateLine[] =>
  Object.entries(rates).map(([unit, rate]) => {
    const text = rateText(unit, rate)
    return { unit, text, known: { text, rate } }
  })

/** Why a text is no price: it is no amount, or above the highest price. */
export type RateFault = 'amount' | 'ceiling'

const bareText = (text: string): string => withoutGroups(text.trim().replace(/^\$\s*/, ''))

/** Reads a typed price of a unit. */
export function readRate(unit: string, text: string): { rate: string } | { fault: RateFault } {
  const bare = bareText(text)
  const dollars = parseDecimal(bare.startsWith('.') ? `0${bare}` : bare)
  if (dollars === null) return { fault: 'amount' }
  const rate = pricedPer(unit) === 'million' ? dollars : dollars * MILLION
  return rate > MAX_RATE_NANO ? { fault: 'ceiling' } : { rate: String(rate) }
}

type ReadRates = { rates: Record<string, string>; faults: null } | { rates: null; faults: Record<string, RateFault> }

/** Reads the lines. An unchanged one keeps its exact rate. `faults` has every unit whose text is no price. */
export function readRates(lines: readonly RateLine[]): ReadRates {
  const rates: Record<string, string> = {}
  const faults: Record<string, RateFault> = {}
  for (const { unit, text, known } of lines) {
    const read = known && known.text === bareText(text) ? { rate: known.rate } : readRate(unit, text)
    if ('fault' in read) faults[unit] = read.fault
    else rates[unit] = read.rate
  }
  return Object.keys(faults).length > 0 ? { rates: null, faults } : { rates, faults: null }
}

const TEXT_UNITS = ['input', 'cached_input', 'cache_write', 'output', 'reasoning', 'image_input', 'audio_input', 'request']
const UNITS_BY_MODALITY: Record<string, string[]> = {
  chat: [...TEXT_UNITS.slice(0, -1), 'image_output', 'web_search', 'request'],
  completion: TEXT_UNITS,
  embedding: ['input', 'request'],
  image: ['image', 'input', 'cached_input', 'output', 'image_input', 'image_output', 'request'],
  speech: ['character', 'input', 'output', 'audio_output', 'audio_second', 'request'],
  transcription: ['audio_second', 'input', 'output', 'audio_input', 'request'],
  video: ['video_second', 'request'],
}

/** The units that a model of a kind can be priced by. For images also by size and quality, if the model's entry names them. */
export function unitsOf(modality: string, facts: { sizes?: string[] | undefined; qualities?: string[] | undefined }): string[] {
  const qualities = facts.qualities?.length ? facts.qualities : ['standard']
  const images = (facts.sizes ?? []).flatMap((size) =>
    qualities.map((quality) => (quality === 'standard' ? `image:${size}` : `image:${size}:${quality}`)),
  )
  return [...(UNITS_BY_MODALITY[modality] ?? TEXT_UNITS), ...(modality === 'image' ? images : [])]
}

/** The initial lines for a new model of a kind. */
export const initialRateLines = (modality: string): RateLine[] => {
  const [first = 'input'] = UNITS_BY_MODALITY[modality] ?? TEXT_UNITS
  const units = modality === 'chat' || modality === 'completion' ? ['input', 'output'] : [first]
  return units.map((unit) => ({ unit, text: '', known: null }))
}
