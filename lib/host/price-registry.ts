import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelPrice, TieredPrices } from '@pydantic/genai-prices'
import { MODEL_SIZES } from '../domain/catalog.ts'
import { withAssumed } from '../domain/listed-model.ts'
import type { Rates } from '../domain/price.ts'
import { formatStoredText, type StoredText } from '../domain/stored-text.ts'
import type { Unit } from '../domain/usage.ts'
import type { KnownFacts, PriceRegistry } from '../services/operator/operator-ports.ts'
import { ANTHROPIC_MODELS } from '../vendors/anthropic-models.ts'
import { assumedCapabilities } from '../vendors/assumed-capabilities.ts'
import { GOOGLE_MODELS } from '../vendors/google-models.ts'
import type { KnownModel } from '../vendors/known-model.ts'
import { OPENAI_MODELS } from '../vendors/openai-models.ts'

const PACKAGE = '@pydantic/genai-prices'

/** The registry's name for a unit, ours, and how many of our units one of its prices buys. It prices millions and hours. */
const UNIT_FIELDS: [string, Unit, number][] = [
  ['input_mtok', 'input', 1],
  ['cache_read_mtok', 'cached_input', 1],
  ['cache_write_mtok', 'cache_write', 1],
  ['output_mtok', 'output', 1],
  ['input_image_mtok', 'image_input', 1],
  ['output_image_mtok', 'image_output', 1],
  ['input_audio_mtok', 'audio_input', 1],
  ['output_audio_mtok', 'audio_output', 1],
  ['audio_hours', 'audio_second', 1_000_000 / 3600],
]

/** Converts dollars to nano-dollars. A tenth of a nano per million is finer than a price can be. */
const nanoOf = (dollars: number): bigint => BigInt(Math.round(dollars * 1_000_000_000))

const isTiered = (price: number | TieredPrices): price is TieredPrices => typeof price !== 'number'

/** The registry's price in our units, and whether it has tiers, which our prices cannot have. */
export function ratesFrom(price: ModelPrice): { rates: Rates; stepped: boolean } {
  const found = UNIT_FIELDS.flatMap(([theirs, ours, factor]): [Unit, bigint][] => {
    const value = price[theirs]
    if (value === undefined) return []
    return [[ours, nanoOf((isTiered(value) ? value.base : value) * factor)]]
  })
  const stepped = UNIT_FIELDS.some(([theirs]) => price[theirs] !== undefined && typeof price[theirs] !== 'number')
  return { rates: Object.fromEntries(found), stepped }
}

/** Model lists do not state what a model is for, but models that are not for chat are named for what they do. */
const MODALITY_PATTERNS: [RegExp, string][] = [
  [/embed|(^|\/)(bge|e5|gte|all-minilm)-/i, 'embedding'],
  [/whisper|transcribe|(^|\/)nova-/i, 'transcription'],
  [/(^|[-/])tts|speech/i, 'speech'],
  [/image|dall-e|flux|imagen|stable-diffusion/i, 'image'],
  [/sora|veo|video/i, 'video'],
]

const KNOWN_MODELS = new Map([...OPENAI_MODELS, ...ANTHROPIC_MODELS, ...GOOGLE_MODELS].map((model) => [model.name, model]))

/** Finds a model by its name, with or without its maker as prefix and its date as suffix. */
function findKnownModel(name: string): KnownModel | undefined {
  const baseName = name.slice(name.lastIndexOf('/') + 1)
  return KNOWN_MODELS.get(baseName) ?? KNOWN_MODELS.get(baseName.replace(/-\d{8}$|-\d{4}-\d{2}-\d{2}$/, ''))
}

const providerOf = (kind: string): string | null => (kind === 'openai' || kind === 'anthropic' || kind === 'google' ? kind : null)

/** What is known about models: their shape from our own tables, their prices from the registry, which is loaded on first use. */
export const createPriceRegistry = (): PriceRegistry => ({
  async name() {
    // The package does not export its version.
    const text = await readFile(join(process.cwd(), 'node_modules', PACKAGE, 'package.json'), 'utf8')
    return `${PACKAGE} ${(JSON.parse(text) as { version: string }).version}`
  },
  async find({ kind, baseUrl }, upstreamModel, at, statedModality): Promise<KnownFacts> {
    const { calcPrice } = await import('@pydantic/genai-prices')
    const provider = providerOf(kind)
    const providerFilter = provider ? { providerId: provider } : baseUrl ? { providerApiUrl: baseUrl } : {}
    const found = calcPrice({ input_tokens: 1 }, upstreamModel, { ...providerFilter, timestamp: at })
    const known = findKnownModel(upstreamModel)
    const { rates: listed, stepped } = found ? ratesFrom(found.model_price) : { rates: null, stepped: false }
    const rates = listed ?? known?.rates ?? null
    const modality =
      statedModality ?? known?.modality ?? MODALITY_PATTERNS.find(([name]) => name.test(upstreamModel))?.[1] ?? 'chat'
    const stated = {
      contextWindow: found?.model.context_window ?? known?.contextWindow,
      maxOutput: known?.maxOutput,
    }
    const contextWindow = stated.contextWindow ?? 131_072
    return {
      modality,
      contextWindow,
      maxOutput: Math.min(stated.maxOutput ?? 32_768, contextWindow),
      imageTokens: known?.imageTokens ?? 16_384,
      capabilities: known?.capabilities ?? assumedCapabilities(kind, modality, upstreamModel),
      facts: withAssumed(
        known?.facts ?? {},
        MODEL_SIZES.filter((size) => stated[size] === undefined),
      ),
      // The registry has no prices of searches and requests. Elsewhere they cost something else than at the maker's.
      rates: rates && provider !== null ? { ...rates, ...known?.fees } : rates,
      basis: found ? (stepped ? 'stepped' : 'vendor') : known ? 'maker' : null,
      note: noteOf(found?.provider.name ?? null, stepped, known !== undefined),
    }
  },
})

function noteOf(provider: string | null, stepped: boolean, known: boolean): StoredText | '' {
  if (provider === null) return known ? "The maker's list price, from the table of this release." : ''
  return formatStoredText(stepped ? 'listPriceOfShort' : 'listPrice', { vendor: provider })
}
