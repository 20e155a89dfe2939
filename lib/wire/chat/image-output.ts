import { refuseField } from '../../domain/errors.ts'
import type { LanguageCapabilities, LanguageExtras } from '../../domain/language.ts'
import { objectIn } from '../json.ts'
import type { PromptNotes } from './prompt-helpers.ts'
import type { ChatBody } from './schema.ts'

const asksForImages = ({ modalities }: ChatBody): boolean => modalities?.includes('image') === true

/** Throws the 400 for a chat that asks for images of a model that has no price for them. */
export function checkImagesPriced(body: ChatBody, modelId: string, mayMakeImages: boolean): void {
  if (asksForImages(body) && !mayMakeImages)
    throw refuseField(
      'modalities',
      `The model "${modelId}" has no price for images that it makes in a chat. Leave "image" out, or use a model that has one ("image_output" in its prices).`,
    )
}

/** The fields of OpenRouter's `image_config` that a bridged vendor may take, and how they are called in the AI SDK. */
const CONFIG_FIELDS = [
  ['aspect_ratio', 'aspectRatio', 'aspectRatios'],
  ['image_size', 'imageSize', 'sizes'],
] as const

/**
 * What a bridged vendor is asked for besides text. Throws the 400 for a vendor that makes no images in chats, and for a shape or a
 * size that it does not have. The rest of `image_config` is left out and reported.
 */
export function imageExtrasOf(body: ChatBody, { imageOutput }: LanguageCapabilities, notes: PromptNotes): LanguageExtras {
  if (imageOutput === undefined) {
    if (asksForImages(body))
      throw refuseField(
        'modalities',
        "This model cannot make images in a chat, because the API of its vendor has none. Leave 'image' out.",
      )
    if (body.image_config != null) notes.ignored.add('image_config')
    return {}
  }
  const config = objectIn(body.image_config) ?? {}
  const known = CONFIG_FIELDS.flatMap(([field, name, values]): [string, string][] => {
    const value = config[field]
    if (value == null) return []
    if (typeof value === 'string' && imageOutput[values].includes(value)) return [[name, value]]
    throw refuseField(`image_config.${field}`, `It must be one of ${imageOutput[values].join(', ')}.`)
  })
  const isKnown = (field: string): boolean => CONFIG_FIELDS.some(([name]) => name === field)
  if (body.image_config != null && (objectIn(body.image_config) === null || !Object.keys(config).every(isKnown)))
    notes.ignored.add('image_config')
  return {
    ...(asksForImages(body) ? { modalities: [...new Set(body.modalities)] } : {}),
    ...(known.length > 0 ? { imageConfig: Object.fromEntries(known) } : {}),
  }
}
