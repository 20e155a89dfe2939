import { asRecord, asText, formatJson, type Json, type JsonRecord } from '../history/json.ts'
import { findSchemaFault, type SchemaFault } from './json-schema.ts'

const NAME_PATTERN = /^[a-zA-Z0-9_.:-]{1,128}$/

/** Why a text is not JSON of the expected form. `why` is a text of `playground.faults`. */
export interface TextFault {
  why: 'json' | 'tools' | 'name' | 'twice' | 'object' | `schema.${SchemaFault['wrong']}`
  /** The position, or the browser's own message if the text is not JSON. */
  where: string
}

export type Read<T> = { value: T; fault?: undefined } | { value?: undefined; fault: TextFault }

const faultAt = (why: TextFault['why'], where: string): { fault: TextFault } => ({ fault: { why, where } })

function readJson(source: string): Read<Json> {
  try {
    return { value: JSON.parse(source) as Json }
  } catch (error) {
    return faultAt('json', error instanceof Error ? error.message : '')
  }
}

/** Reads the JSON Schema of an object, as answers and tool arguments use it. */
export function readSchema(source: string): Read<JsonRecord> {
  const read = readJson(source)
  if (read.fault) return read
  const fault = findSchemaFault(read.value)
  if (fault) return faultAt(`schema.${fault.wrong}`, fault.path)
  const schema = asRecord(read.value)
  return schema?.type === 'object' ? { value: schema } : faultAt('object', '')
}

/** A tool in the form of the API. The inner function alone is accepted too. */
function asTool(value: Json, place: number): Read<JsonRecord> {
  const outer = asRecord(value)
  const inner = asRecord(outer?.function) ?? (outer?.type === undefined || asText(outer?.name) !== null ? outer : null)
  const name = asText(inner?.name)
  if (inner === null || name === null || (outer?.type !== undefined && outer.type !== 'function'))
    return faultAt('tools', `[${place}]`)
  if (!NAME_PATTERN.test(name)) return faultAt('name', `[${place}].name`)
  if (inner.parameters !== undefined) {
    const fault = findSchemaFault(inner.parameters)
    if (fault) return faultAt(`schema.${fault.wrong}`, `${name}.parameters${fault.path === '' ? '' : `.${fault.path}`}`)
    if (asRecord(inner.parameters)?.type !== 'object') return faultAt('object', `${name}.parameters`)
  }
  const { type: _, ...definition } = inner
  return { value: { type: 'function', function: asRecord(outer?.function) ?? definition } }
}

/** Reads tools as typed: a list or a single tool. Empty text means no tools. */
export function readTools(source: string): Read<JsonRecord[]> {
  if (source.trim() === '') return { value: [] }
  const read = readJson(source)
  if (read.fault) return read
  const tools: JsonRecord[] = []
  const names = new Set<string>()
  for (const [place, each] of (Array.isArray(read.value) ? read.value : [read.value]).entries()) {
    const tool = asTool(each, place)
    if (tool.fault) return tool
    const name = asText(asRecord(tool.value.function)?.name) ?? ''
    if (names.has(name)) return faultAt('twice', name)
    names.add(name)
    tools.push(tool.value)
  }
  return { value: tools }
}

export const EXAMPLE_TOOLS = formatJson([
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather in a city, now.',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
        required: ['city'],
        additionalProperties: false,
      },
    },
  },
])

export const EXAMPLE_SCHEMA = formatJson({
  type: 'object',
  properties: { title: { type: 'string' }, points: { type: 'array', items: { type: 'string' } } },
  required: ['title', 'points'],
  additionalProperties: false,
})
