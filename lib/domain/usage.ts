import type { StoredText } from './stored-text.ts'

/**
 * What was used, in units that never overlap: `input` excludes tokens that were read from or written to a cache. `reasoning` is
 * part of `output`; it is reported separately, and priced separately if the price names it.
 */
export interface Usage {
  input: bigint
  cachedInput: bigint
  cacheWrite: bigint
  output: bigint
  reasoning: bigint
  requests: bigint
  /** What is not text. Absent if there is none. */
  media?: MediaUsage
}

/** Units of text and of the request itself, by their names in a price. */
export type TextUnit = 'input' | 'cached_input' | 'cache_write' | 'output' | 'reasoning' | 'request'

/**
 * Units of other media. `image` is one image of any kind, `image:1024x1024` one image of that size in standard quality, and
 * `image:1024x1024:hd` one of that size and quality. The `_input` and `_output` units are tokens. `web_search` is a search that the
 * vendor makes for a chat model.
 */
export type MediaUnit =
  | 'image'
  | `image:${string}`
  | 'image_input'
  | 'image_output'
  | 'audio_input'
  | 'audio_output'
  | 'audio_second'
  | 'video_second'
  | 'character'
  | 'web_search'

export type MediaUsage = { readonly [unit in MediaUnit]?: bigint }

/** All units, by their names in a price. */
export type Unit = TextUnit | MediaUnit

export const NO_USAGE: Usage = { input: 0n, cachedInput: 0n, cacheWrite: 0n, output: 0n, reasoning: 0n, requests: 0n }

/** The usage of one request with these media. */
export const mediaUsage = (media: MediaUsage): Usage => ({ ...NO_USAGE, requests: 1n, media })

/** The sum of both, as one request: for answers that are made of several. */
export function addUsage(a: Usage, b: Usage): Usage {
  const units = new Set([...Object.keys(a.media ?? {}), ...Object.keys(b.media ?? {})]) as Set<MediaUnit>
  const media = Object.fromEntries([...units].map((unit) => [unit, (a.media?.[unit] ?? 0n) + (b.media?.[unit] ?? 0n)]))
  return {
    input: a.input + b.input,
    cachedInput: a.cachedInput + b.cachedInput,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    requests: 1n,
    ...(units.size === 0 ? {} : { media }),
  }
}

const INPUT_MEDIA: readonly MediaUnit[] = ['image_input', 'audio_input']

/** The units of one side of a usage, its input or all others, from one usage, and the rest of it from another. */
export function withSideOf(usage: Usage, other: Usage, side: 'input' | 'output'): Usage {
  const [inputFrom, outputFrom] = side === 'input' ? [other, usage] : [usage, other]
  const isInput = (unit: string): boolean => INPUT_MEDIA.includes(unit as MediaUnit)
  const media = Object.fromEntries([
    ...Object.entries(inputFrom.media ?? {}).filter(([unit]) => isInput(unit)),
    ...Object.entries(outputFrom.media ?? {}).filter(([unit]) => !isInput(unit)),
  ])
  const { input, cachedInput, cacheWrite } = inputFrom
  const { output, reasoning } = outputFrom
  return {
    input,
    cachedInput,
    cacheWrite,
    output,
    reasoning,
    requests: usage.requests,
    ...(Object.keys(media).length === 0 ? {} : { media }),
  }
}

/** All input tokens. */
export const tokensIn = ({ input, cachedInput, cacheWrite, media }: Usage): bigint =>
  input + cachedInput + cacheWrite + (media ? (media.image_input ?? 0n) + (media.audio_input ?? 0n) : 0n)

/** All output tokens. */
export const tokensOut = ({ output, media }: Usage): bigint =>
  output + (media ? (media.image_output ?? 0n) + (media.audio_output ?? 0n) : 0n)

/** The unit for one image of a size and quality. */
export const imageUnit = (size: string, quality: string | null): MediaUnit =>
  quality === null || quality === 'standard' ? `image:${size}` : `image:${size}:${quality}`

/** Whether the counts are exact. If not, `why` says what made an estimate necessary. */
export type Certainty = { exact: true } | { exact: false; why: StoredText }
