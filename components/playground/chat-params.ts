import type { ModelRow } from '#lib/contracts/catalog'
import type { JsonRecord } from '../history/json.ts'
import { type Read, readSchema, readTools, type TextFault } from './tools.ts'

export const EFFORTS = ['', 'minimal', 'low', 'medium', 'high'] as const
export const OUTPUTS = ['', 'images'] as const
export const SEARCHES = ['', 'web'] as const
export const FORMATS = ['text', 'json_object', 'json_schema'] as const

/** The parameters as typed. Empty ones are not sent. */
export interface Params {
  temperature: string
  topP: string
  maxTokens: string
  /** One per line. */
  stop: string
  seed: string
  effort: (typeof EFFORTS)[number]
  /** Whether images are asked for as well. Absent in drafts from before there was a choice. */
  output?: (typeof OUTPUTS)[number]
  /** Whether the model may search the web. Absent in drafts from before there was a choice. */
  search?: (typeof SEARCHES)[number]
  /** How a replayed request limited its searches. */
  searchOptions?: JsonRecord
  format: (typeof FORMATS)[number]
  schema: string
  tools: string
}

export const NO_PARAMS: Params = {
  temperature: '',
  topP: '',
  maxTokens: '',
  stop: '',
  seed: '',
  effort: '',
  format: 'text',
  schema: '',
  tools: '',
}

/** What a model supports. If its catalog entry says nothing, everything is offered, and the vendor decides. */
export interface Abilities {
  pictures: boolean
  tools: boolean
  json: boolean
  effort: boolean
  /** It makes images. Only a model with a price for them can be asked for them. */
  images: boolean
  /** It searches the web, and each search has a price. */
  search: boolean
}

export function abilitiesOf({
  capabilities,
  rates = {},
  searches = false,
}: Pick<ModelRow, 'capabilities'> & Partial<Pick<ModelRow, 'rates' | 'searches'>>): Abilities {
  const has = (...names: string[]) => capabilities.length === 0 || names.some((name) => capabilities.includes(name))
  return {
    pictures: has('vision'),
    tools: has('tools'),
    json: has('json', 'structured_output'),
    effort: has('hidden-reasoning', 'reasoning'),
    images: rates.image_output !== undefined,
    search: searches,
  }
}

export type ParamFault = TextFault | { why: 'range'; where: string }
export type ParamFaults = Partial<Record<keyof Params, ParamFault>>

const MAX_STOPS = 16

function readNumber(
  source: string,
  min: number,
  max: number,
  isInteger: boolean,
): Read<number | undefined> | { fault: ParamFault } {
  if (source.trim() === '') return { value: undefined }
  const value = Number(source)
  const isValid = Number.isFinite(value) && value >= min && value <= max && (!isInteger || Number.isInteger(value))
  return isValid ? { value } : { fault: { why: 'range', where: `${min} – ${max}` } }
}

/** Reads the typed parameters: the fields of the request, and which of them are invalid and why. */
export function readParams(params: Params, abilities: Abilities, maxTokens: number): { fields: JsonRecord; faults: ParamFaults } {
  const faults: ParamFaults = {}
  const collect = <T>(name: keyof Params, read: { value?: T; fault?: ParamFault | undefined }): T | undefined => {
    if (read.fault) faults[name] = read.fault
    return read.value
  }
  const stops = params.stop.split('\n').filter((line) => line !== '')
  if (stops.length > MAX_STOPS) faults.stop = { why: 'range', where: `0 – ${MAX_STOPS}` }
  const tools = abilities.tools ? (collect('tools', readTools(params.tools)) ?? []) : []
  const schema =
    abilities.json && params.format === 'json_schema' ? collect('schema', readSchema(params.schema.trim() || 'null')) : undefined
  const all = {
    temperature: collect('temperature', readNumber(params.temperature, 0, 2, false)),
    top_p: collect('topP', readNumber(params.topP, 0, 1, false)),
    max_tokens: collect('maxTokens', readNumber(params.maxTokens, 1, maxTokens, true)),
    seed: collect('seed', readNumber(params.seed, 0, Number.MAX_SAFE_INTEGER, true)),
    stop: stops.length === 0 ? undefined : stops,
    reasoning_effort: abilities.effort && params.effort !== '' ? params.effort : undefined,
    modalities: abilities.images && params.output === 'images' ? ['image', 'text'] : undefined,
    web_search_options: abilities.search && params.search === 'web' ? (params.searchOptions ?? {}) : undefined,
    response_format:
      schema !== undefined
        ? { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } }
        : abilities.json && params.format === 'json_object'
          ? { type: 'json_object' }
          : undefined,
    tools: tools.length === 0 ? undefined : tools,
  }
  const fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as JsonRecord
  return { fields, faults }
}

/** The body of a call: model, messages and parameters. Always streamed, with the usage at the end. */
export const chatBody = (model: string, messages: JsonRecord[], fields: JsonRecord): JsonRecord => ({
  model,
  messages,
  ...fields,
  stream: true,
  stream_options: { include_usage: true },
})
