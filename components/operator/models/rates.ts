import { formatDecimal, parseDecimal } from '#lib/domain/money'
import { perOf } from '../../models/rates.ts'
import { withoutGroups } from '../../read-amount.ts'

/** One line of a price as it stands in a form. `known` is the rate that the text was made of. */
export interface RateLine {
  unit: string
  /** Dollars per million units, or per unit where the unit is sold by the piece. */
  text: string
  known: { text: string; rate: string } | null
}

const MILLION = 1_000_000n

/** A rate as dollars: per million, or per piece as exactly as nine places can say it. */
export const rateText = (unit: string, rate: string): string =>
  formatDecimal(perOf(unit) === 'million' ? BigInt(rate) : BigInt(rate) / MILLION)

/** The lines of a form for rates of nano-dollars per million units. */
export const rateLines = (rates: Readonly<Record<string, string>>): RateLine[] =>
  Object.entries(rates).map(([unit, rate]) => {
    const text = rateText(unit, rate)
    return { unit, text, known: { text, rate } }
  })

/** Reads the lines back. What was not touched is the rate it was, digit by digit. `fault` is the unit that is no amount. */
export function readRates(lines: readonly RateLine[]): { rates: Record<string, string> } | { fault: string } {
  const rates: Record<string, string> = {}
  for (const { unit, text, known } of lines) {
    const bare = withoutGroups(text.trim().replace(/^\$\s*/, ''))
    if (known && known.text === bare) {
      rates[unit] = known.rate
      continue
    }
    const dollars = parseDecimal(bare.startsWith('.') ? `0${bare}` : bare)
    if (dollars === null) return { fault: unit }
    rates[unit] = String(perOf(unit) === 'million' ? dollars : dollars * MILLION)
  }
  return { rates }
}

const TEXT = ['input', 'cached_input', 'cache_write', 'output', 'reasoning', 'image_input', 'audio_input', 'request']
const SOLD: Record<string, string[]> = {
  chat: TEXT,
  completion: TEXT,
  embedding: ['input', 'request'],
  image: ['image', 'input', 'cached_input', 'output', 'image_input', 'image_output', 'request'],
  speech: ['character', 'input', 'output', 'audio_output', 'audio_second', 'request'],
  transcription: ['audio_second', 'input', 'output', 'audio_input', 'request'],
  video: ['video_second', 'request'],
}

/** What a model of a kind can be sold by; images by size and quality too, where its entry names them. */
export function unitsOf(modality: string, facts: { sizes?: string[] | undefined; qualities?: string[] | undefined }): string[] {
  const qualities = facts.qualities?.length ? facts.qualities : ['standard']
  const images = (facts.sizes ?? []).flatMap((size) =>
    qualities.map((quality) => (quality === 'standard' ? `image:${size}` : `image:${size}:${quality}`)),
  )
  return [...(SOLD[modality] ?? TEXT), ...(modality === 'image' ? images : [])]
}

/** The lines that a new model of a kind begins with. */
export const firstLines = (modality: string): RateLine[] => {
  const [first = 'input'] = SOLD[modality] ?? TEXT
  const units = modality === 'chat' || modality === 'completion' ? ['input', 'output'] : [first]
  return units.map((unit) => ({ unit, text: '', known: null }))
}
