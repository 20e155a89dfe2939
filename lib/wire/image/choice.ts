import type { CatalogModel } from '../../domain/catalog.ts'
import { refuseField } from '../../domain/errors.ts'
import { countCharacters } from '../count-characters.ts'
import type { ImageBody, ImageEditBody } from './schema.ts'

/** What a model is asked for, in its own terms. */
export interface ImageChoice {
  images: number
  /** `auto` if the model chooses; null if neither the request nor the catalog names one. */
  size: string | null
  quality: string | null
  /** How many partial images are sent before the final one. */
  partials: number
}

/**
 * The specification has `standard` and `hd` for every model. If a model has other words, these are translated. Answers use only
 * the other words, which mean the same if a model has both.
 */
const QUALITY_SYNONYMS: Readonly<Record<string, string>> = { standard: 'medium', hd: 'high', medium: 'standard', high: 'hd' }

const quoteList = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(', ')

/**
 * Whether the choice is left to the model. Requests say so with `auto`, some by default, even to models that have no such word.
 */
const isModelsChoice = (asked: string | null, words: readonly string[]): asked is null | 'auto' =>
  asked === null || (asked === 'auto' && !words.includes('auto'))

function sizeOf({ facts }: CatalogModel, asked: string | null): string | null {
  const { sizes } = facts
  if (!sizes?.length) return asked
  if (isModelsChoice(asked, sizes)) return sizes[0] ?? null
  if (!sizes.includes(asked))
    throw refuseField('size', `This model makes images of the sizes ${quoteList(sizes)}. Ask for one of them.`)
  return asked
}

function qualityOf({ facts }: CatalogModel, asked: string | null): string | null {
  const { qualities } = facts
  if (!qualities?.length) return asked
  if (isModelsChoice(asked, qualities)) return qualities[0] ?? null
  const own = qualities.includes(asked) ? asked : QUALITY_SYNONYMS[asked]
  if (own === undefined || !qualities.includes(own))
    throw refuseField('quality', `This model has the qualities ${quoteList(qualities)}. Ask for one of them.`)
  return own
}

/**
 * Checks the request against the model's catalog entry, and fills in the entry's values for what was not requested. Throws the
 * 400 that names the field and what the model has.
 */
export function chooseImage(body: ImageBody | ImageEditBody, model: CatalogModel): ImageChoice {
  const { facts, capabilities } = model
  const images = body.n ?? 1
  if (facts.images !== undefined && images > facts.images)
    throw refuseField('n', `This model makes at most ${facts.images} in one request. Ask for fewer.`)
  if (facts.characters !== undefined && countCharacters(body.prompt) > facts.characters)
    throw refuseField('prompt', `This model reads prompts of at most ${facts.characters} characters. Shorten it.`)
  if (body.stream === true && !capabilities.has('streaming'))
    throw refuseField('stream', 'This model does not stream its images. Leave the field out.')
  const format = body.output_format ?? null
  if (format !== null && facts.formats && !facts.formats.includes(format))
    throw refuseField('output_format', `This model makes images in the formats ${quoteList(facts.formats)}. Ask for one of them.`)
  return {
    images,
    size: sizeOf(model, body.size ?? null),
    quality: qualityOf(model, body.quality ?? null),
    partials: body.stream === true ? (body.partial_images ?? 0) : 0,
  }
}
