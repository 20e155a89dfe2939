import { asRecord, type Json } from '../history/json.ts'

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const SCHEMA_KEYWORDS = ['items', 'not', 'contains', 'propertyNames', 'if', 'then', 'else'] as const
const SCHEMA_LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const SCHEMA_MAP_KEYWORDS = ['properties', 'patternProperties', '$defs', 'definitions'] as const
const MAX_DEPTH = 64

/** Why a schema is invalid: the path of the fault, and which text of `schema.*` describes it. */
export interface SchemaFault {
  path: string
  wrong: 'notSchema' | 'type' | 'list' | 'names' | 'required' | 'enum' | 'deep'
}

const isStringList = (value: Json): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string')

function hasInvalidType(value: Json | undefined): boolean {
  if (value === undefined) return false
  const types = Array.isArray(value) ? value : [value]
  return types.length === 0 || !types.every((type) => typeof type === 'string' && TYPES.has(type))
}

/**
 * Finds the first part of a value that is not valid in any JSON Schema. Null if there is none. Checks only the structure that
 * all drafts share (types, properties, lists of schemas), where most mistakes are made. It is not a full validation.
 */
export function findSchemaFault(value: Json, path = '', depth = 0): SchemaFault | null {
  if (typeof value === 'boolean') return null
  const schema = asRecord(value)
  if (schema === null) return { path, wrong: 'notSchema' }
  if (depth > MAX_DEPTH) return { path, wrong: 'deep' }
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
  if (hasInvalidType(schema.type)) return { path: at('type'), wrong: 'type' }
  if (schema.required !== undefined && !isStringList(schema.required)) return { path: at('required'), wrong: 'required' }
  if (schema.enum !== undefined && (!Array.isArray(schema.enum) || schema.enum.length === 0))
    return { path: at('enum'), wrong: 'enum' }
  const inner: [Json, string][] = []
  for (const name of SCHEMA_KEYWORDS) if (schema[name] !== undefined) inner.push([schema[name], at(name)])
  for (const name of SCHEMA_LIST_KEYWORDS) {
    const list = schema[name]
    if (list === undefined) continue
    if (!Array.isArray(list) || list.length === 0) return { path: at(name), wrong: 'list' }
    inner.push(...list.map((each, place): [Json, string] => [each, `${at(name)}[${place}]`]))
  }
  for (const name of SCHEMA_MAP_KEYWORDS) {
    const named = schema[name]
    if (named === undefined) continue
    const members = asRecord(named)
    if (members === null) return { path: at(name), wrong: 'names' }
    inner.push(...Object.entries(members).map(([key, each]): [Json, string] => [each, `${at(name)}.${key}`]))
  }
  for (const [each, where] of inner) {
    const fault = findSchemaFault(each, where, depth + 1)
    if (fault) return fault
  }
  return null
}
