import { readDataUrl } from '../domain/data-url.ts'
import { asRefusal, refuseField } from '../domain/errors.ts'
import { mediaTypeOf, SIGNATURE_BYTES } from '../domain/media-type.ts'
import { singleChunk } from '../domain/single-chunk.ts'
import { type JsonObject, type JsonValue, parseJsonObject } from '../wire/json.ts'
import type { SpoolPort } from './ports.ts'
import { FormReader, type FormRules, MAX_NAME_LENGTH, type ParsedForm } from './read-form.ts'

type Rules = FormRules & { jsonFields: NonNullable<FormRules['jsonFields']> }

/**
 * Reads a form that came as JSON: its files are `data:` addresses in fields of their own, everything else is text. Throws 400
 * or 413, and then leaves nothing behind. Source: the OpenAI API, version 2.3.0, EditImageBodyJsonParam.
 */
export async function readJsonForm(bytes: Buffer, rules: Rules, spool: SpoolPort, accountId: string): Promise<ParsedForm> {
  const body = parseJsonObject(bytes)
  const reader = new FormReader(rules, spool, accountId)
  try {
    const partNames = new Map(Object.entries(rules.jsonFields).map(([name, field]) => [field, name]))
    for (const [field, value] of Object.entries(body)) {
      if (value == null) continue
      if (field.length > MAX_NAME_LENGTH)
        throw refuseField(field.slice(0, 64), `A field name can have at most ${MAX_NAME_LENGTH} characters.`)
      const name = partNames.get(field)
      if (name === undefined) await reader.addPart(field, null, singleChunk(Buffer.from(textOf(field, value, rules))))
      else for (const file of filesIn(field, value, name, rules)) await addFile(file, reader)
    }
    for (const [name, { minCount = 0 }] of Object.entries(rules.files)) {
      const field = rules.jsonFields[name] ?? name
      if (minCount > 0 && body[field] == null) throw refuseField(field, `The field "${field}" is not accepted: it is missing.`)
    }
    return reader.finish(bytes.byteLength)
  } catch (error) {
    await reader.dispose()
    throw error
  }
}

/** The text that a form would have in place of a JSON number or boolean. */
function textOf(field: string, value: JsonValue, { jsonFields }: Rules): string {
  const jsonName = Object.hasOwn(jsonFields, field) ? jsonFields[field] : undefined
  if (jsonName !== undefined && jsonName !== field) throw refuseField(field, `In JSON this field is called "${jsonName}".`)
  if (typeof value === 'object')
    throw refuseField(field, `The field "${field.slice(0, 64)}" must be text, a number, or true or false.`)
  return String(value)
}

interface JsonFile {
  /** The name that a form uses for it. */
  name: string
  /** Without the extension. */
  filename: string
  /** The path of the field that holds its address. */
  path: string
  address: string
}

/** The files of a field: one, or a list if there may be several. */
function filesIn(field: string, value: JsonValue, name: string, { files }: Rules): JsonFile[] {
  const isList = (files[name]?.maxCount ?? 1) > 1
  const list = isList ? value : [value]
  if (!Array.isArray(list) || list.length === 0)
    throw refuseField(field, `The field "${field}" must be a list of {"image_url": "data:image/png;base64,..."}.`)
  return list.map((item, at) => {
    const place = isList ? `${field}[${at}]` : field
    return { name: list.length > 1 ? `${name}[]` : name, filename: `${name}-${at + 1}`, ...readImageUrl(item, place) }
  })
}

function readImageUrl(item: JsonValue, place: string): Pick<JsonFile, 'path' | 'address'> {
  const { image_url: address, file_id: id } = (typeof item === 'object' && item !== null ? item : {}) as JsonObject
  if (id != null)
    throw refuseField(`${place}.file_id`, 'It refers to a file in a vendor\'s account. Send the image itself as "image_url".')
  const path = `${place}.image_url`
  if (typeof address !== 'string') throw refuseField(path, 'Send the image as an address, such as data:image/png;base64,...')
  return { path, address }
}

async function addFile({ name, filename, path, address }: JsonFile, reader: FormReader): Promise<void> {
  const image = readDataUrl(address)
  if (!image)
    throw refuseField(
      path,
      'Images are accepted only as base64 data: URLs, such as data:image/png;base64,... or as files of a form.',
    )
  const bytes = Buffer.from(image.base64, 'base64')
  // Vendors go by the extension.
  const extension = mediaTypeOf(bytes.subarray(0, SIGNATURE_BYTES), ['image/*'])?.replace('image/', '.') ?? ''
  try {
    await reader.addPart(name, filename + extension, singleChunk(bytes))
  } catch (error) {
    const refusal = asRefusal(error)
    // An error in a file names the field that the file is in.
    throw refusal?.param == null ? error : refusal.about(path)
  }
}
