import { shellQuote } from '../../curl.ts'
import type { Operation } from './operations.ts'
import type { Field } from './schema-walker.ts'

/** Values that an example uses if the schema leaves them open. */
export interface ExampleValues {
  model: string
  greeting: string
  /** A voice of the model. */
  voice: string
}

const FILES: Record<string, string> = { image: 'image.png', mask: 'mask.png', file: 'speech.mp3' }

const textFor = (name: string, { model, voice, greeting }: ExampleValues): string =>
  name === 'model' ? model : name === 'voice' ? voice : greeting

/** The input of a response is optional only if it continues another, which a schema's list of required fields cannot express. */
const isNeeded = ({ name, required }: Field): boolean => required || name === 'input'

/** A short value that is valid for a field: only its required parts. */
function exampleValue(field: Field, words: ExampleValues): unknown {
  const first = field.type.split(' | ')[0] ?? ''
  if (field.values[0] !== undefined) return field.values[0]
  if (first.startsWith('"')) return JSON.parse(first)
  if (first === 'string') return textFor(field.name, words)
  if (first === 'boolean') return true
  if (first === 'integer' || first === 'number')
    return Number(field.constraints.find(({ name }) => name === 'minimum')?.value ?? 1)
  const inside = objectOf(variantFieldsOf(field), words)
  return first.endsWith('[]') ? [inside] : inside
}

/** Of several variants, the one for the user's own message, or else the first. */
function variantFieldsOf({ children }: Field): Field[] {
  if (!children[0]?.variant) return children
  return (children.find(({ name }) => name.includes('"user"')) ?? children[0]).children
}

const objectOf = (fields: readonly Field[], words: ExampleValues): Record<string, unknown> =>
  Object.fromEntries(fields.filter(isNeeded).map((field) => [field.name, exampleValue(field, words)]))

function bodyLines(operation: Operation, words: ExampleValues): string[] {
  if (!operation.body) return []
  const required = operation.body.fields.filter((field) => field.required)
  if (operation.body.type === 'application/json')
    return ['-H "Content-Type: application/json"', `-d ${shellQuote(JSON.stringify(objectOf(operation.body.fields, words)))}`]
  return required.map((field) =>
    field.type.startsWith('file')
      ? `-F ${shellQuote(`${field.name}=@${FILES[field.name] ?? field.name}`)}`
      : `-F ${shellQuote(`${field.name}=${String(exampleValue(field, words))}`)}`,
  )
}

/** Audio cannot be printed to a terminal. */
const outputLines = ({ answers }: Operation): string[] => (answers[0]?.type === 'audio/mpeg' ? ["-o 'speech.mp3'"] : [])

/** A call of an endpoint with only its required fields, to paste into a shell. `origin` is without `/v1`. */
export function exampleOf(operation: Operation, origin: string, words: ExampleValues): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    operation.path.startsWith('/v1/models') ? words.model : name.toUpperCase(),
  )
  const method = operation.method === 'GET' || operation.body !== null ? [] : [`-X ${operation.method}`]
  const lines = [
    `curl ${origin}${path}`,
    ...method,
    '-H "Authorization: Bearer $TOLLGATE_KEY"',
    ...bodyLines(operation, words),
    ...outputLines(operation),
  ]
  return lines.join(' \\\n  ')
}
