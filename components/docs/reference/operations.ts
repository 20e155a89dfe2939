import { isPlainObject } from '#lib/domain/is-plain-object'
import { createWalker, type Field, type Json } from './schema-walker.ts'

/** An endpoint of the API, as its page shows it. */
export interface Operation {
  /** Used in its address: `chat_completions`. */
  id: string
  method: string
  path: string
  summary: string
  description: string | null
  parameters: (Field & { place: string })[]
  body: { type: string; fields: Field[] } | null
  answers: { status: string; type: string; fields: Field[] }[]
  /** The error statuses, each with its possible codes. */
  errors: { status: string; codes: string[] }[]
}

const record = (value: unknown): Json => (isPlainObject(value) ? value : {})
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const METHODS = ['get', 'post', 'put', 'patch', 'delete']

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [])

function operationOf(path: string, method: string, definition: Json, walker: ReturnType<typeof createWalker>): Operation {
  const content = Object.entries(record(record(definition.requestBody).content))[0]
  const responses = Object.entries(record(definition.responses))
  return {
    id: text(definition.operationId),
    method: method.toUpperCase(),
    path,
    summary: text(definition.summary),
    description: text(definition.description) || null,
    parameters: (Array.isArray(definition.parameters) ? definition.parameters : []).map(record).map((parameter) => ({
      ...walker.field(text(parameter.name), parameter.schema, parameter.required === true),
      description: text(parameter.description) || null,
      place: text(parameter.in),
    })),
    body: content ? { type: content[0], fields: walker.fields(record(content[1]).schema) } : null,
    answers: responses
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([status, answer]) =>
        Object.entries(record(record(answer).content)).map(([type, media]) => ({
          status,
          type,
          fields: walker.fields(record(media).schema),
        })),
      ),
    errors: responses
      .filter(([status]) => !status.startsWith('2'))
      .map(([status, answer]) => ({ status, codes: texts(record(answer)['x-codes']) })),
  }
}

/** All endpoints of an OpenAPI document, in its order. */
export function operationsOf(document: Json): Operation[] {
  const walker = createWalker(record(record(document.components).schemas))
  return Object.entries(record(document.paths)).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const definition = record(methods)[method]
      return definition === undefined ? [] : [operationOf(path, method, record(definition), walker)]
    }),
  )
}
