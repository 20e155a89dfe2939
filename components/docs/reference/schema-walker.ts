import { isPlainObject } from '#lib/domain/is-plain-object'

/** An OpenAPI document or a part of one. Its content is not trusted and is checked when read. */
export type Json = { readonly [name: string]: unknown }

export const CONSTRAINTS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'default',
  'pattern',
  'format',
] as const
export type ConstraintName = (typeof CONSTRAINTS)[number]

/** A field of a request or a response, with its nested fields. */
export interface Field {
  name: string
  /** The type as written in code: `string | Part[]`. */
  type: string
  required: boolean
  /** Whether it may be null. */
  nullable: boolean
  description: string | null
  /** The only valid values. Empty if there is no such list. */
  values: string[]
  constraints: { name: ConstraintName; value: string }[]
  children: Field[]
  /** True if this is not a field but one of several variants of its parent. */
  variant: boolean
}

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isPlainObject) : [])

/** A schema with its references resolved. `from` lists the names that led to it, so that cycles end. */
interface ResolvedSchema {
  schema: Json
  name: string | null
  isCircular: boolean
  from: readonly string[]
}

export interface Walker {
  fields(schema: unknown): Field[]
  field(name: string, schema: unknown, required: boolean): Field
}

const isNull = (schema: Json): boolean => schema.type === 'null' || schema.const === null

/** Resolves a schema: the schema itself, or the one that its reference leads to. */
type Resolve = (given: unknown, from: readonly string[]) => ResolvedSchema

function createResolver(shared: Json): Resolve {
  const resolve: Resolve = (schemaOrRef, from) => {
    const schema = isPlainObject(schemaOrRef) ? schemaOrRef : {}
    const name = typeof schema.$ref === 'string' ? (schema.$ref.split('/').at(-1) ?? '') : null
    if (name === null) return { schema, name: null, isCircular: false, from }
    const found = shared[name]
    if (!isPlainObject(found) || from.includes(name)) return { schema: {}, name, isCircular: true, from }
    const inner = resolve(found, [...from, name])
    return { ...inner, name: inner.name ?? name }
  }
  return resolve
}

/** The variants of a schema as one flat list: nested `anyOf` are merged. */
function variantsOf(resolve: Resolve, resolved: ResolvedSchema): ResolvedSchema[] {
  const variants = [...listOf(resolved.schema.anyOf), ...listOf(resolved.schema.oneOf)]
  if (variants.length > 0) return variants.flatMap((form) => variantsOf(resolve, resolve(form, resolved.from)))
  if (Array.isArray(resolved.schema.type))
    return resolved.schema.type.map((type) => ({ ...resolved, name: null, schema: { ...resolved.schema, type } }))
  return [resolved]
}

const itemsOf = (resolve: Resolve, { schema, from }: ResolvedSchema): ResolvedSchema[] =>
  variantsOf(resolve, resolve(schema.items, from))

function typeOf(resolve: Resolve, resolved: ResolvedSchema): string {
  const { schema, name } = resolved
  // The document numbers schemas without a name, and a number means nothing to a reader.
  const displayName = name !== null && !/^Part\d/.test(name) ? name : null
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.type === 'array') {
    const items = [...new Set(itemsOf(resolve, resolved).map((item) => typeOf(resolve, item)))].join(' | ')
    return items.includes(' ') ? `(${items})[]` : `${items}[]`
  }
  if (displayName !== null) return displayName
  if (schema.contentMediaType !== undefined) return 'file'
  if (Array.isArray(schema.enum)) return typeof schema.enum[0]
  if (typeof schema.type === 'string') return schema.type
  return schema.properties === undefined ? 'any' : 'object'
}

/** The name of a variant: its first constant field, such as `type: "text"`, or else its type. */
function variantName(resolve: Resolve, form: ResolvedSchema): string {
  const fields = isPlainObject(form.schema.properties) ? Object.entries(form.schema.properties) : []
  const fixed = fields.find(([, field]) => isPlainObject(field) && typeof field.const === 'string')
  return fixed && isPlainObject(fixed[1]) ? `${fixed[0]}: ${JSON.stringify(fixed[1].const)}` : typeOf(resolve, form)
}

/** Creates a reader for the schemas of a document, whose shared ones are `components.schemas`. */
export function createWalker(shared: Json): Walker {
  const resolve = createResolver(shared)

  const propertiesOf = ({ schema, from }: ResolvedSchema): Field[] => {
    const merged = [schema, ...listOf(schema.allOf).map((part) => resolve(part, from).schema)]
    return merged.flatMap((part) => {
      const required: unknown[] = Array.isArray(part.required) ? part.required : []
      return Object.entries(isPlainObject(part.properties) ? part.properties : {}).map(([name, field]) =>
        walk(name, field, required.includes(name), from),
      )
    })
  }

  /** The nested fields: those of the only possible object, or each variant with its fields. */
  const childrenOf = (forms: readonly ResolvedSchema[]): Field[] => {
    const inner = forms.flatMap((form) => (form.schema.type === 'array' ? itemsOf(resolve, form) : [form]))
    const objects = inner.map((form) => ({ form, fields: propertiesOf(form) })).filter(({ fields }) => fields.length > 0)
    if (objects.length < 2) return objects[0]?.fields ?? []
    return objects.map(({ form, fields }) => ({
      ...plain(variantName(resolve, form)),
      type: 'object',
      description: textOf(form.schema.description),
      children: fields,
      variant: true,
    }))
  }

  const walk = (name: string, given: unknown, required: boolean, from: readonly string[]): Field => {
    const resolved = resolve(given, from)
    const all = variantsOf(resolve, resolved)
    const forms = all.filter(({ schema }) => !isNull(schema))
    const types = [...new Set(forms.map((form) => typeOf(resolve, form)))]
    return {
      ...plain(name),
      type: types.join(' | ') || 'null',
      required,
      nullable: forms.length < all.length,
      description: textOf(isPlainObject(given) ? given.description : null) ?? textOf(resolved.schema.description),
      values: [...new Set(forms.flatMap(({ schema }) => (Array.isArray(schema.enum) ? schema.enum.map(String) : [])))],
      constraints: [resolved, ...forms.filter((form) => form.schema !== resolved.schema)].flatMap(({ schema }) =>
        constraintsOf(schema),
      ),
      children: forms.some(({ isCircular }) => isCircular) ? [] : childrenOf(forms),
    }
  }

  return {
    field: (name, schema, required) => walk(name, schema, required, []),
    fields: (schema) => walk('', schema, true, []).children,
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

const plain = (name: string): Field => ({
  name,
  type: '',
  required: false,
  nullable: false,
  description: null,
  values: [],
  constraints: [],
  children: [],
  variant: false,
})

/** If a number has no limit that JSON can express, zod writes the largest safe integer. That is not an intended limit. */
const isIntended = (value: unknown): boolean => !(typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER)

function constraintsOf(schema: Json): Field['constraints'] {
  return CONSTRAINTS.flatMap((name) => {
    const value = schema[name]
    if (value === undefined || !isIntended(value)) return []
    return [{ name, value: typeof value === 'string' ? value : JSON.stringify(value) }]
  })
}
