import { shellQuote } from '../../curl.ts'
import type { Operation } from './operations.ts'
import type { Field } from './walk.ts'

/** What an example says where a schema leaves it open. */
export interface ExampleWords {
  model: string
  greeting: string
  /** One that the model speaks with. */
  voice: string
}

const FILES: Record<string, string> = { image: 'image.png', mask: 'mask.png', file: 'speech.mp3' }

const wordFor = (name: string, { model, voice, greeting }: ExampleWords): string =>
  name === 'model' ? model : name === 'voice' ? voice : greeting

/** A response's input may be left out only where it continues another: no schema's list of required fields can say so. */
const isNeeded = ({ name, required }: Field): boolean => required || name === 'input'

/** A short value that the schema of a field takes: what is required of it, and nothing else. */
function exampleValue(field: Field, words: ExampleWords): unknown {
  const first = field.type.split(' | ')[0] ?? ''
  if (field.values[0] !== undefined) return field.values[0]
  if (first.startsWith('"')) return JSON.parse(first)
  if (first === 'string') return wordFor(field.name, words)
  if (first === 'boolean') return true
  if (first === 'integer' || first === 'number')
    return Number(field.constraints.find(({ name }) => name === 'minimum')?.value ?? 1)
  const inside = objectOf(formOf(field), words)
  return first.endsWith('[]') ? [inside] : inside
}

/** Of several forms the one of the user's own words, else the first. */
function formOf({ children }: Field): Field[] {
  if (!children[0]?.variant) return children
  return (children.find(({ name }) => name.includes('"user"')) ?? children[0]).children
}

const objectOf = (fields: readonly Field[], words: ExampleWords): Record<string, unknown> =>
  Object.fromEntries(fields.filter(isNeeded).map((field) => [field.name, exampleValue(field, words)]))

function bodyLines(operation: Operation, words: ExampleWords): string[] {
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

/** Sound is no text for a terminal. */
const outputLines = ({ answers }: Operation): string[] => (answers[0]?.type === 'audio/mpeg' ? ["-o 'speech.mp3'"] : [])

/** A call of an endpoint with what it cannot do without, to be pasted into a shell. `origin` is without `/v1`. */
export function exampleOf(operation: Operation, origin: string, words: ExampleWords): string {
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
