import type { Rates } from '../../domain/price.ts'
import type { Unit } from '../../domain/usage.ts'
import { said, type Value } from '../../messages/said.ts'
import { invalidField } from '../service-error.ts'

/** Errors: `invalid_input` (maxOutput): an answer has to fit into what the model can see. */
export function checkedSizes({
  contextWindow,
  maxOutput,
}: {
  contextWindow?: number | undefined
  maxOutput?: number | undefined
}): void {
  if (contextWindow !== undefined && maxOutput !== undefined && maxOutput > contextWindow)
    throw invalidField('maxOutput', 'An answer cannot be longer than the context window.')
}

/** What a model of a kind cannot be sold without: any one of these. */
const NEEDED: Record<string, readonly string[]> = {
  chat: ['input'],
  completion: ['input'],
  embedding: ['input'],
  image: ['image', 'image_output', 'output'],
  speech: ['character', 'audio_output', 'output', 'audio_second'],
  transcription: ['audio_second', 'audio_input', 'input'],
  video: ['video_second'],
}

const anyOf = (units: readonly string[]): Value =>
  units.map((unit): Value => `"${unit}"`).reduce((these, unit) => said('{these} or {unit}', { these, unit }))

/** Rates as the domain has them. Errors: `invalid_input` (rates) where the kind could not be sold at these. */
export function checkedRates(modality: string, given: Record<string, string>): Rates {
  const needed = NEEDED[modality] ?? []
  const units = Object.keys(given).map((unit) => unit.replace(/^image:.*/, 'image'))
  if (needed.length > 0 && !needed.some((unit) => units.includes(unit)))
    throw invalidField('rates', said('A model of this kind needs a price for {units}.', { units: anyOf(needed) }))
  if ((modality === 'chat' || modality === 'completion') && given.output === undefined)
    throw invalidField('rates', 'A model of this kind needs a price for "output".')
  return ratesOf(given)
}

/** Rates from their texts. */
export const ratesOf = (texts: Record<string, string>): Rates =>
  Object.fromEntries(Object.entries(texts).map(([unit, rate]) => [unit as Unit, BigInt(rate)]))
