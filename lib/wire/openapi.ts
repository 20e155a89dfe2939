import { z } from 'zod'
import { CONDITION_TABLE, VENDOR_CODES } from '../domain/errors.ts'
import { IDEMPOTENCY_KEY } from '../domain/idempotency-key.ts'
import { API, type ApiEntry } from './api.ts'
import type { Answers, BodyRules, Endpoint } from './endpoint.ts'
import { answerHeadersOf, HEADERS } from './openapi-headers.ts'
import { describeRefusals } from './openapi-refusals.ts'
import { isRefusedField } from './schema.ts'

type Json = Record<string, unknown>

/** What a document contains once, under the names that schemas give themselves. */
type SharedSchemas = Map<string, Json>

/** Writes a schema as JSON Schema. Parts that have a name of their own are put into `shared` once and referenced. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', shared: SharedSchemas): Json {
  const { $schema: _, $defs, ...written } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: omitRefusedFields })
  const place = shared.size
  // Parts that repeat within one schema have a number as their name, which is unique only together with this schema's place.
  const nameOf = (name: string): string => (name.startsWith('__') ? `Part${place}${name.replace(/^_+schema/, '_')}` : name)
  const rewriteRefs = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rewriteRefs)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) =>
        name === '$ref' && typeof item === 'string'
          ? [name, item.replace(/^#\/\$defs\/(.*)$/, (_all, to: string) => `#/components/schemas/${nameOf(to)}`)]
          : [name, rewriteRefs(item)],
      ),
    )
  }
  for (const [name, { id: _id, ...definition }] of Object.entries($defs ?? {}))
    shared.set(nameOf(name), rewriteRefs(definition) as Json)
  const { id, ...plain } = rewriteRefs(written) as Json
  if (typeof id !== 'string') return plain
  shared.set(id, plain)
  return { $ref: `#/components/schemas/${id}` }
}

/** Leaves out the fields that a request may not have. */
function omitRefusedFields({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes
  jsonSchema: z.core.JSONSchema.BaseSchema
}): void {
  const { def } = zodSchema._zod
  if (jsonSchema.properties === undefined || def.type !== 'object') return
  for (const [name, field] of Object.entries(def.shape)) if (isRefusedField(field)) delete jsonSchema.properties[name]
}

const MIB = 1024 ** 2
const binary = { type: 'string', contentMediaType: 'application/octet-stream' }

function requestBody(rules: BodyRules, schema: z.ZodType, shared: SharedSchemas): Json {
  const fields = schemaOf(schema, 'input', shared)
  if (rules.kind === 'json') return { required: true, content: { 'application/json': { schema: fields } } }
  const fileSchemas = Object.entries(rules.files).map(([name, { maxCount, types, maxBytes }]) => {
    const description = `${maxCount > 1 ? 'Each is one' : 'One'} of: ${types.join(', ')}. Up to ${maxBytes / MIB} MiB${maxCount > 1 ? ' each' : ''}.`
    return [name, { ...(maxCount > 1 ? { type: 'array', maxItems: maxCount, items: binary } : binary), description }]
  })
  const needed = Object.entries(rules.files).flatMap(([name, { minCount }]) => (minCount ? [name] : []))
  const form = { 'multipart/form-data': { schema: withFiles(fields, Object.fromEntries(fileSchemas), needed) } }
  return { required: true, content: rules.jsonFields ? { ...form, ...jsonRequestBody(rules, fields) } : form }
}

/** The fields of a request, with its files before them. */
function withFiles(fields: Json, files: Json, needed: readonly string[]): Json {
  const properties = { ...files, ...((fields.properties as Json | undefined) ?? {}) }
  return { ...fields, properties, required: [...needed, ...((fields.required as string[] | undefined) ?? [])] }
}

/** The same request with its files inside JSON. */
function jsonRequestBody({ files, jsonFields = {} }: Extract<BodyRules, { kind: 'form' }>, fields: Json): Json {
  const places = Object.entries(files).map(([name, { maxCount, minCount, types, maxBytes }]) => {
    const description = `${maxCount > 1 ? 'Each is a' : 'A'} \`data:\` URL of one of: ${types.join(', ')}. Up to ${maxBytes / MIB} MiB${maxCount > 1 ? ' each' : ''}.`
    const one = { type: 'object', required: ['image_url'], properties: { image_url: { type: 'string', pattern: '^data:' } } }
    const shape = maxCount > 1 ? { type: 'array', minItems: 1, maxItems: maxCount, items: one } : one
    return { field: jsonFields[name] ?? name, shape: { ...shape, description }, needed: (minCount ?? 0) > 0 }
  })
  const shapes = Object.fromEntries(places.map(({ field, shape }) => [field, shape]))
  const needed = places.flatMap(({ field, needed: isNeeded }) => (isNeeded ? [field] : []))
  return { 'application/json': { schema: withFiles(fields, shapes, needed) } }
}

const contentOf = (answers: Answers, shared: SharedSchemas): Json =>
  Object.fromEntries(
    Object.entries(answers).map(([type, schema]) => [type, { schema: schema ? schemaOf(schema, 'output', shared) : binary }]),
  )

const ERROR: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string', description: 'What is wrong, and what to do next.' },
        type: { type: 'string', enum: [...new Set(Object.values(CONDITION_TABLE).map(({ type }) => type))] },
        param: { type: ['string', 'null'], description: 'The path of the field at fault.' },
        code: {
          type: 'string',
          enum: [...new Set([...Object.values(CONDITION_TABLE).map(({ code }) => code), ...VENDOR_CODES])],
        },
      },
    },
  },
}

const IDEMPOTENCY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A repeat with the same idempotency key within 24 hours gets the first response again, at no charge. Printable characters, without spaces.',
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
}

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))

/** The fields of a query, all of them optional. */
const queryParameters = (query: z.ZodObject | undefined, shared: SharedSchemas): Json[] =>
  Object.entries(query?.shape ?? {}).map(([name, field]) => {
    const { description, ...schema } = schemaOf(field, 'input', shared)
    return { name, in: 'query', required: false, description, schema }
  })

function operationOf(path: string, endpoint: Endpoint, shared: SharedSchemas): Json {
  const { docs } = endpoint
  const paid = 'body' in endpoint
  return {
    operationId: endpoint.name.replace(/\W/g, '_'),
    summary: docs.summary,
    ...(docs.description === undefined ? {} : { description: docs.description }),
    parameters: [...pathParameters(path), ...queryParameters(docs.query, shared), ...(paid ? [IDEMPOTENCY] : [])],
    ...(paid ? { requestBody: requestBody(endpoint.body, endpoint.request, shared) } : {}),
    responses: {
      200: { description: 'Success.', headers: answerHeadersOf(endpoint), content: contentOf(docs.answers, shared) },
      ...describeRefusals(endpoint),
    },
  }
}

function pathsOf(api: readonly ApiEntry[], shared: SharedSchemas): Json {
  const paths: Record<string, Json> = {}
  for (const { path, endpoint } of api)
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(path, endpoint, shared) }
  return paths
}

/** The API as an OpenAPI 3.1 document, made from the schemas that parse its requests. `publicUrl` is its address. */
export function describeApi(publicUrl: string): Json {
  const shared: SharedSchemas = new Map()
  const paths = pathsOf(API, shared)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollgate',
      version: '1',
      description:
        "Models of many vendors at one address, in the OpenAI format. Fields that are not listed here are passed on to the model's vendor.",
    },
    servers: [{ url: publicUrl }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key, from the console.' } },
      headers: HEADERS,
      schemas: { Error: ERROR, ...Object.fromEntries(shared) },
    },
  }
}
