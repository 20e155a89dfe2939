import { isPlainObject } from '../../domain/is-plain-object.ts'

/** A JSON schema with its references and choices resolved: only keywords that a value is built from. */
export type PlainSchema = Readonly<Record<string, unknown>>

/** What one attempt may use. Schemas are untrusted, and without a limit a small one can ask for a huge value. */
export interface Budget {
  /** Where `#/...` references start. */
  root: unknown
  /** The remaining steps. A step is about one schema looked at, eight characters written or 32 read. */
  left: number
  /** How deep objects and arrays may nest. */
  maxDepth: number
  /** What strings are made of. */
  text: string
}

/** Takes steps from the budget. Returns false if too few are left. */
export function spend(budget: Budget, steps: number): boolean {
  budget.left -= steps
  return budget.left >= 0
}

export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const numberOr = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback)

/** Finds what a reference inside the document points to (RFC 6901). Other references are not followed, and allow everything. */
function resolve(root: unknown, reference: unknown): unknown {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return true
  let found: unknown = root
  for (const part of reference.split('/').slice(1)) {
    const name = part
      .replace(/%2[fF]/g, '/')
      .replace(/%25/g, '%')
      .replace(/~1/g, '/')
      .replace(/~0/g, '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return true
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

const CONFLICT = Symbol('no value meets both')
type Merge = (a: unknown, b: unknown) => unknown

const both: Merge = (a, b) => ({ allOf: [a, b] })
const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
const larger: Merge = (a, b) => Math.max(Number(a), Number(b))
const smaller: Merge = (a, b) => Math.min(Number(a), Number(b))
const jsonEquals = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const commonTypes: Merge = (a, b) => {
  const allows = (named: unknown[], type: string) => named.includes(type) || (type === 'integer' && named.includes('number'))
  const [left, right] = [[a].flat(), [b].flat()]
  const common = TYPES.filter((type) => allows(left, type) && allows(right, type))
  return common.length === 0 ? CONFLICT : common
}

const mergeProperties: Merge = (a, b) => {
  const [left, right] = [fieldsOf(a), fieldsOf(b)]
  const changed = Object.entries(right).map(([name, schema]) => [
    name,
    Object.hasOwn(left, name) ? both(left[name], schema) : schema,
  ])
  return { ...left, ...Object.fromEntries(changed) }
}

const commonValues: Merge = (a, b) => {
  const right = new Set(asList(b).map((value) => JSON.stringify(value)))
  return asList(a).filter((value) => right.has(JSON.stringify(value)))
}

const mergePrefixes: Merge = (a, b) => {
  const [left, right] = [asList(a), asList(b)]
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => both(left[at] ?? true, right[at] ?? true))
}

/** How two constraints on the same value are merged. A keyword that is not listed keeps the first one. */
const MERGES: Readonly<Record<string, Merge>> = {
  type: commonTypes,
  const: (a, b) => (jsonEquals(a, b) ? a : CONFLICT),
  enum: commonValues,
  required: (a, b) => [...new Set([...asList(a), ...asList(b)])],
  properties: mergeProperties,
  additionalProperties: both,
  items: both,
  prefixItems: mergePrefixes,
  uniqueItems: (a, b) => a === true || b === true,
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
  multipleOf: (a, b) => (Number(a) % Number(b) === 0 ? a : Number(b) % Number(a) === 0 ? b : Number(a) * Number(b)),
}

const fieldsOf = (value: unknown): PlainSchema => (isPlainObject(value) ? value : {})

function merge(a: PlainSchema, b: PlainSchema): PlainSchema | null {
  const merged: Record<string, unknown> = { ...a }
  for (const [keyword, value] of Object.entries(b)) {
    const known = Object.hasOwn(a, keyword)
    merged[keyword] = !known ? value : Object.hasOwn(MERGES, keyword) ? MERGES[keyword]?.(a[keyword], value) : a[keyword]
    if (merged[keyword] === CONFLICT) return null
  }
  return merged
}

/**
 * The steps that it takes to look at a schema once. All work of a visit must be counted here. Otherwise a large list with many
 * references to it would keep the process busy.
 */
function readingSteps(schema: PlainSchema): number {
  let size = 0
  for (const value of Object.values(schema))
    size += Array.isArray(value) ? value.length : isPlainObject(value) ? Object.keys(value).length : 1
  if (schema.enum !== undefined || schema.const !== undefined) size += JSON.stringify([schema.enum, schema.const]).length
  if (typeof schema.$ref === 'string') size += schema.$ref.length
  return 1 + size / 32
}

function* combine(base: PlainSchema, groups: readonly unknown[][], budget: Budget, hops: number): Generator<PlainSchema> {
  const [group, ...rest] = groups
  if (!group) return yield base
  for (const option of group) {
    for (const plain of alternatives(option, budget, hops)) {
      if (!spend(budget, readingSteps(base) + readingSteps(plain))) return
      const merged = merge(base, plain)
      if (merged) yield* combine(merged, rest, budget, hops)
    }
  }
}

const MAX_HOPS = 64

/**
 * The plain schemas that a schema resolves to, in the order of its `anyOf` and `oneOf`. A value that meets one of them meets the
 * schema. Whether it also meets a second branch of a `oneOf` is not checked.
 */
export function* alternatives(schema: unknown, budget: Budget, hops = 0): Generator<PlainSchema> {
  if (schema === false || hops > MAX_HOPS || !spend(budget, isPlainObject(schema) ? readingSteps(schema) : 1)) return
  if (!isPlainObject(schema)) return yield {}
  const { $ref, allOf, anyOf, oneOf, ...own } = schema
  const groups: unknown[][] = []
  if ($ref !== undefined) groups.push([resolve(budget.root, $ref)])
  for (const part of asList(allOf)) groups.push([part])
  for (const branches of [anyOf, oneOf]) if (Array.isArray(branches)) groups.push(branches)
  yield* combine(own, groups, budget, hops + 1)
}
