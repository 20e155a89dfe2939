import { type Refusal, refuseField } from '../domain/errors.ts'
import { type Form, stripArraySuffix } from '../domain/form.ts'
import type { JsonObject, JsonValue } from './json.ts'

/** Which texts of a form stand for something else. A field that is not named here is text and may appear only once. */
export interface FieldKinds {
  numbers?: readonly string[]
  switches?: readonly string[]
  /** Fields that may be repeated, and written with `[]`. */
  lists?: readonly string[]
}

/** A number as JSON or a program writes it: `2`, `0.5`, `.5`, `1e-7`. */
const NUMBER = /^-?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})(e[+-]?\d{1,2})?$/i

function invalidField(name: string, wanted: string): Refusal {
  return refuseField(name, `The field "${name}" is not accepted: it must be ${wanted}.`)
}

function parseFieldText(name: string, text: string, { numbers, switches }: FieldKinds): JsonValue {
  if (numbers?.includes(name)) {
    if (!NUMBER.test(text)) throw invalidField(name, 'a number, such as 2 or 0.5')
    return Number(text)
  }
  if (switches?.includes(name)) {
    const value = text.toLowerCase()
    if (value !== 'true' && value !== 'false') throw invalidField(name, 'true or false')
    return value === 'true'
  }
  return text
}

/**
 * A form without its empty texts. Some clients cannot leave a field out and send it empty, such as go-openai with `size` and
 * `response_format` when it edits images.
 */
export const withoutEmptyFields = ({ parts }: Form): Form => ({
  parts: parts.filter((part) => 'file' in part || part.value !== ''),
})

/** A form with its switches as JSON writes them. Python writes `True`, and not every vendor reads that. */
export const withLowercaseSwitches = ({ parts }: Form, { switches }: FieldKinds): Form => ({
  parts: parts.map((part) =>
    'file' in part || !switches?.includes(stripArraySuffix(part.name)) ? part : { ...part, value: part.value.toLowerCase() },
  ),
})

/**
 * The texts of a form as an object that a schema can check: `n=2` becomes a number if a number is expected. Throws a 400 for a
 * text that is not what is expected, and for a field that appears twice.
 */
export function parseFormFields(form: Form, kinds: FieldKinds): JsonObject {
  const fields = new Map<string, JsonValue>()
  for (const part of form.parts) {
    if ('file' in part) continue
    const name = stripArraySuffix(part.name)
    const value = parseFieldText(name, part.value, kinds)
    const before = fields.get(name)
    if (kinds.lists?.includes(name)) fields.set(name, [...(Array.isArray(before) ? before : []), value])
    else if (before === undefined) fields.set(name, value)
    else throw refuseField(name, `The form has the field "${name.slice(0, 64)}" twice. Send it once.`)
  }
  return Object.fromEntries(fields)
}
