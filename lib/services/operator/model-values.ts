import { parseRates, type Rates } from '../../domain/price.ts'
import { type MessageValue, messageWith } from '../../messages/message.ts'
import { invalidField } from '../service-error.ts'

/** The kinds whose answers share the context window with their request. Speech, for example, does not. */
const SHARED_WINDOW: ReadonlySet<string> = new Set(['chat', 'completion'])

/** Checks that an answer fits into the context window. Errors: `invalid_input` (maxOutput). */
export function checkSizes({
  modality,
  contextWindow,
  maxOutput,
}: {
  modality: string
  contextWindow: number
  maxOutput: number
}): void {
  if (SHARED_WINDOW.has(modality) && maxOutput > contextWindow)
    throw invalidField('maxOutput', 'An answer cannot be longer than the context window.')
}

/** The units without which a model of a kind cannot be sold. One of them is enough. */
const REQUIRED_UNITS: Record<string, readonly string[]> = {
  chat: ['input'],
  completion: ['input'],
  embedding: ['input'],
  image: ['image', 'image_output', 'output'],
  speech: ['character', 'audio_output', 'output', 'audio_second'],
  transcription: ['audio_second', 'audio_input', 'input'],
  video: ['video_second'],
}

const anyOf = (units: readonly string[]): MessageValue =>
  units.map((unit): MessageValue => `"${unit}"`).reduce((these, unit) => messageWith('{these} or {unit}', { these, unit }))

/** Converts rates to the domain's form. Errors: `invalid_input` (rates) if the kind cannot be sold at these rates. */
export function validateRates(modality: string, input: Record<string, string>): Rates {
  const needed = REQUIRED_UNITS[modality] ?? []
  const units = Object.keys(input).map((unit) => unit.replace(/^image:.*/, 'image'))
  if (needed.length > 0 && !needed.some((unit) => units.includes(unit)))
    throw invalidField('rates', messageWith('A model of this kind needs a price for {units}.', { units: anyOf(needed) }))
  if ((modality === 'chat' || modality === 'completion') && input.output === undefined)
    throw invalidField('rates', 'A model of this kind needs a price for "output".')
  return parseRates(input)
}

/** Whether two prices are the same, in whatever order their units are. */
export const pricesEqual = (a: Record<string, string>, b: Record<string, string>): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([unit, rate]) => b[unit] === rate)
