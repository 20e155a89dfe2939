import { isPlainObject } from '../../domain/is-plain-object.ts'
import { alternatives, asList, type Budget, numberOr, type PlainSchema, spend } from './schema-merge.ts'
import { fitsScalar, makeNumber, makeString } from './schema-scalars.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

type Type = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/** At most about 30 ms of work. */
const STEPS = 10_000
/** The depths to try. Shallow first, so that a schema that refers to itself ends as early as it can. */
const DEPTHS = [4, 8, 16, 40]

/**
 * Makes a value that meets a JSON schema (draft 2020-12): types, `enum`, `const`, ranges, lengths, `format`, objects,
 * arrays, `anyOf`, `oneOf`, `allOf`, references inside the document. Not checked: `pattern`, `not`, `if`,
 * `contains`, `patternProperties`, `propertyNames`, `dependent...`, `unevaluated...`.
 * Strings are made from `text`. Returns undefined if no value is found.
 */
export function makeValue(schema: unknown, text: string, root: unknown = schema): Json | undefined {
  for (const maxDepth of DEPTHS) {
    const budget = { root, left: STEPS, maxDepth, text }
    const value = make(schema, budget, 0, 0)
    if (value !== undefined) return value
    // A deeper value would need even more steps.
    if (budget.left < 0) return undefined
  }
  return undefined
}

/** A `variant` above 0 asks for a value that differs from those of the earlier variants, for lists without repeats. */
function make(schema: unknown, budget: Budget, depth: number, variant: number): Json | undefined {
  for (const plain of alternatives(schema, budget)) {
    const listed = listedValues(plain)
    if (listed) {
      const fitting = listed.filter((value) => isListable(plain, value))
      if (fitting.length > 0) return fitting[variant % fitting.length] as Json
      continue
    }
    for (const type of typesOf(plain)) {
      const value = makeOf(type, plain, budget, depth, variant)
      if (value !== undefined) return value
    }
  }
  return undefined
}

function makeOf(type: Type, schema: PlainSchema, budget: Budget, depth: number, variant: number): Json | undefined {
  if (type === 'null') return null
  if (type === 'boolean') return variant % 2 === 0
  if (type === 'integer' || type === 'number') return makeNumber(schema, type === 'integer', variant)
  if (type === 'string') return makeString(schema, budget, variant)
  if (depth >= budget.maxDepth) return undefined
  return type === 'array' ? makeArray(schema, budget, depth, variant) : makeObject(schema, budget, depth, variant)
}

function listedValues(schema: PlainSchema): unknown[] | null {
  if (schema.const !== undefined)
    return Array.isArray(schema.enum) && !includesJson(schema.enum, schema.const) ? [] : [schema.const]
  return Array.isArray(schema.enum) ? schema.enum : null
}

/** Both can be long, so the value is serialized once and not for each entry of the list. */
function includesJson(list: unknown[], value: unknown): boolean {
  const text = JSON.stringify(value)
  return list.some((other) => JSON.stringify(other) === text)
}

function isListable(schema: PlainSchema, value: unknown): boolean {
  const types = [schema.type].flat()
  return (schema.type === undefined || types.some((type) => hasType(value, type))) && fitsScalar(schema, value)
}

function hasType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isPlainObject(value)
  return type === 'null' ? value === null : typeof value === type
}

/** The types to try. If a schema names none, they are inferred from its other keywords. */
function typesOf(schema: PlainSchema): Type[] {
  const named = [schema.type].flat().filter((type) => typeof type === 'string') as Type[]
  // Null is allowed in many schemas and says little.
  if (named.length > 0) return named.sort((a, b) => Number(a === 'null') - Number(b === 'null'))
  const has = (...keywords: string[]) => keywords.some((keyword) => Object.hasOwn(schema, keyword))
  if (has('properties', 'required', 'additionalProperties', 'minProperties')) return ['object']
  if (has('items', 'prefixItems', 'minItems', 'uniqueItems')) return ['array']
  return has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf') ? ['number'] : ['string']
}

/** How many variants of an item are tried before a list counts as having no further one. */
const ITEM_VARIANTS = 8

function makeArray(schema: PlainSchema, budget: Budget, depth: number, variant: number): Json[] | undefined {
  const prefix = asList(schema.prefixItems)
  const min = numberOr(schema.minItems, 0)
  const max = numberOr(schema.maxItems, Number.POSITIVE_INFINITY)
  // If the schema describes an item, one item is more useful than none.
  const wanted = Math.max(min, Math.min(max, Math.max(prefix.length, schema.items === undefined ? 0 : 1)))
  if (min > max) return undefined
  const items: Json[] = []
  const seen = new Set<string>()
  while (items.length < wanted) {
    const item = nextItem(prefix[items.length] ?? schema.items ?? true, items.length + variant)
    if (item === undefined) return items.length >= min ? items : undefined
    items.push(item)
  }
  return items

  function nextItem(itemSchema: unknown, from: number): Json | undefined {
    if (schema.uniqueItems !== true) return make(itemSchema, budget, depth + 1, variant)
    for (let tried = from; tried < from + ITEM_VARIANTS; tried++) {
      const item = make(itemSchema, budget, depth + 1, tried)
      const key = item === undefined ? '' : JSON.stringify(item)
      if (item !== undefined && !seen.has(key)) {
        seen.add(key)
        return item
      }
    }
    return undefined
  }
}

function makeObject(schema: PlainSchema, budget: Budget, depth: number, variant: number): Json | undefined {
  const declared = isPlainObject(schema.properties) ? schema.properties : {}
  const required = new Set(asList(schema.required).filter((name) => typeof name === 'string'))
  const min = numberOr(schema.minProperties, 0)
  const max = numberOr(schema.maxProperties, Number.POSITIVE_INFINITY)
  if (Math.max(required.size, min) > max) return undefined
  const properties = new Map<string, Json>()
  const add = (name: string): boolean => {
    const own = Object.hasOwn(declared, name) ? declared[name] : (schema.additionalProperties ?? true)
    const value = spend(budget, 1) ? make(own, budget, depth + 1, variant) : undefined
    if (value !== undefined) properties.set(name, value)
    return value !== undefined
  }
  // The declared order reads best. Names that are only required come after it.
  const names = Object.keys(declared)
  for (const name of [...names.filter((name) => required.has(name)), ...required]) {
    if (!properties.has(name) && !add(name)) return undefined
  }
  // If nothing is required, an empty object would not show what can be sent.
  const optionalUpTo = required.size === 0 ? max : min
  for (const name of names) if (properties.size < optionalUpTo && !properties.has(name)) add(name)
  for (let extra = 1; properties.size < min; extra++) {
    const name = `extra_${extra}`
    if (!Object.hasOwn(declared, name) && !properties.has(name) && !add(name)) return undefined
    if (budget.left < 0) return undefined
  }
  return Object.fromEntries(properties)
}
