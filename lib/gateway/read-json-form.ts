import { readDataUrl } from '../domain/data-url.ts'
import { asRefusal, Refusal } from '../domain/errors.ts'
import { mediaTypeOf, SIGNATURE_BYTES } from '../domain/media-type.ts'
import { type JsonObject, type JsonValue, parseJsonObject } from '../wire/json.ts'
import type { SpoolPort } from './ports.ts'
import { type FormRules, MAX_NAME_LENGTH, type ReadForm, Reading } from './read-form.ts'

type Rules = FormRules & { jsonFields: NonNullable<FormRules['jsonFields']> }

const cannot = (message: string, param: string): Refusal => new Refusal('invalid_request', message, { param })

/**
 * Reads a form that came as JSON: its files are `data:` addresses in fields of their own, everything else is text. Throws 400
 * or 413, and then leaves nothing behind. Source: the OpenAI API, version 2.3.0, EditImageBodyJsonParam.
 */
export async function readJsonForm(bytes: Buffer, rules: Rules, spool: SpoolPort, accountId: string): Promise<ReadForm> {
  const body = parseJsonObject(bytes)
  const reading = new Reading(rules, spool, accountId)
  try {
    const ours = new Map(Object.entries(rules.jsonFields).map(([name, field]) => [field, name]))
    for (const [field, value] of Object.entries(body)) {
      if (value == null) continue
      if (field.length > MAX_NAME_LENGTH)
        throw cannot(`A field name can have at most ${MAX_NAME_LENGTH} characters.`, field.slice(0, 64))
      const name = ours.get(field)
      if (name === undefined) await reading.add(field, null, oneOf(Buffer.from(textOf(field, value, rules))))
      else for (const file of filesIn(field, value, name, rules)) await take(file, reading)
    }
    for (const [name, { minCount = 0 }] of Object.entries(rules.files)) {
      const field = rules.jsonFields[name] ?? name
      if (minCount > 0 && body[field] == null) throw cannot(`The field "${field}" is not accepted: it is missing.`, field)
    }
    return reading.done(bytes.byteLength)
  } catch (error) {
    await reading.dispose()
    throw error
  }
}

/** The text that a form would have in place of a JSON number or boolean. */
function textOf(field: string, value: JsonValue, { jsonFields }: Rules): string {
  const called = Object.hasOwn(jsonFields, field) ? jsonFields[field] : undefined
  if (called !== undefined && called !== field) throw cannot(`In JSON this field is called "${called}".`, field)
  if (typeof value === 'object')
    throw cannot(`The field "${field.slice(0, 64)}" must be text, a number, or true or false.`, field)
  return String(value)
}

interface Given {
  /** The name that a form uses for it. */
  name: string
  /** Without the extension. */
  filename: string
  /** The path of the field that holds its address. */
  path: string
  address: string
}

/** The files of a field: one, or a list if there may be several. */
function filesIn(field: string, value: JsonValue, name: string, { files }: Rules): Given[] {
  const several = (files[name]?.maxCount ?? 1) > 1
  const list = several ? value : [value]
  if (!Array.isArray(list) || list.length === 0)
    throw cannot(`The field "${field}" must be a list of {"image_url": "data:image/png;base64,..."}.`, field)
  return list.map((item, at) => {
    const place = several ? `${field}[${at}]` : field
    return { name: list.length > 1 ? `${name}[]` : name, filename: `${name}-${at + 1}`, ...addressIn(item, place) }
  })
}

function addressIn(item: JsonValue, place: string): Pick<Given, 'path' | 'address'> {
  const { image_url: address, file_id: id } = (typeof item === 'object' && item !== null ? item : {}) as JsonObject
  if (id != null)
    throw cannot('It refers to a file in a vendor\'s account. Send the image itself as "image_url".', `${place}.file_id`)
  const path = `${place}.image_url`
  if (typeof address !== 'string') throw cannot('Send the image as an address, such as data:image/png;base64,...', path)
  return { path, address }
}

async function take({ name, filename, path, address }: Given, reading: Reading): Promise<void> {
  const image = readDataUrl(address)
  if (!image)
    throw cannot('Images are accepted only as base64 data: URLs, such as data:image/png;base64,... or as files of a form.', path)
  const bytes = Buffer.from(image.base64, 'base64')
  // Vendors go by the extension.
  const end = mediaTypeOf(bytes.subarray(0, SIGNATURE_BYTES), ['image/*'])?.replace('image/', '.') ?? ''
  try {
    await reading.add(name, filename + end, oneOf(bytes))
  } catch (error) {
    const refusal = asRefusal(error)
    // An error in a file names the field that the file is in.
    throw refusal?.param == null ? error : new Refusal(refusal.condition, refusal.message, { param: path })
  }
}

async function* oneOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
