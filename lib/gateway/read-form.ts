import { createHash } from 'node:crypto'
import { asRefusal, Refusal, refuseField } from '../domain/errors.ts'
import { type Form, type FormPart, stripArraySuffix } from '../domain/form.ts'
import type { BodyRules, FileRule } from '../wire/endpoint.ts'
import { type IncomingRequest, piecesOf } from './answer.ts'
import { decodeUtf8, readDisposition } from './content-disposition.ts'
import { type PartHeaders, parseMultipart } from './parse-multipart.ts'
import type { SpoolFile, SpoolPort } from './ports.ts'
import { refuseCharset, refuseEncoded } from './read-body.ts'
import { formatSize, takeUpload } from './upload.ts'
import { type PaceRules, UploadPace } from './upload-pace.ts'

export type FormRules = Extract<BodyRules, { kind: 'form' }>

/** A form that was read. Its owner has to dispose of it. */
export interface ParsedForm {
  form: Form
  /** The same for the same names, values, file names and contents, whatever the boundary was. */
  digest: Buffer
  /** The body's size as it arrived. */
  bytes: number
  /** The bytes that were not in files. */
  textBytes: number
  /** The bytes in memory: texts, and small files. */
  heldBytes: number
  /** Removes its files. Calling it again does no harm. */
  dispose(): Promise<void>
}

export interface FormOptions {
  /** The largest body. */
  maxBytes: number
  pace?: PaceRules
}

/** How much memory a form's files may take. Beyond that they are on disk. */
const MEMORY_BYTES = 1024 * 1024
/** The limit for all texts of a form together. */
const MAX_TEXT_BYTES = 1024 * 1024
const MAX_PARTS = 128
/** In characters. */
export const MAX_NAME_LENGTH = 200
/** Boundaries and headers, which are not part of a form's contents. */
const FRAMING_BYTES = 256 * 1024

/**
 * Reads a multipart form as it arrives. Files that are too large for memory go to the spool. Throws 400, 408, 413, 415, 429
 * or 503 as soon as the reason is known, and then leaves nothing behind.
 */
export async function readForm(
  request: IncomingRequest,
  rules: FormRules,
  spool: SpoolPort,
  accountId: string,
  options: FormOptions,
): Promise<ParsedForm> {
  refuseEncoded(request)
  const boundary = boundaryOf(request.headers.get('content-type'), rules)
  refuseCharset(request)
  const limit = maxFormBytes(rules, options.maxBytes)
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > limit.bytes) throw formTooLarge(limit)
  if (declared > MEMORY_BYTES) spool.ensureCapacity(accountId, declared)
  const reader = new FormReader(rules, spool, accountId)
  const pace = new UploadPace(options.pace)
  const nextPiece = piecesOf(request)
  const next = async (): Promise<Uint8Array | null> => {
    const bytes = await pace.wait(nextPiece())
    if (bytes === null) return null
    pace.addBytes(bytes.byteLength)
    if (pace.bytes > limit.bytes) throw formTooLarge({ ...limit, param: limit.param ?? reader.currentName })
    return bytes
  }
  try {
    await parseMultipart({ boundary, next, handlePart: (headers, body) => reader.takePart(headers, body) })
    return reader.finish(pace.bytes)
  } catch (error) {
    await reader.dispose()
    throw asRefusal(error) ?? refuseBrokenForm(error, reader.currentName)
  }
}

/**
 * The boundary that a body's media type names (RFC 2046, section 5.1.1). Throws 415 if it is not a form, 400 if it names no
 * boundary.
 */
function boundaryOf(type: string | null, { jsonFields }: FormRules): string {
  if (type?.split(';', 1)[0]?.trim().toLowerCase() !== 'multipart/form-data')
    throw new Refusal(
      'wrong_content',
      `The request body must be a form with files. Send it as "Content-Type: multipart/form-data; boundary=..."${jsonFields ? ', or JSON as "application/json"' : ''}.`,
    )
  const found = /;[ \t]*boundary[ \t]*=[ \t]*(?:"([^"]*)"|([^\s;"]*))[ \t]*(?:;|$)/i.exec(type)
  const boundary = found?.[1] ?? found?.[2] ?? ''
  if (/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary)) return boundary
  throw refuseField(
    'Content-Type',
    'The Content-Type header has no boundary of 1 to 70 characters. Let your HTTP library set it.',
  )
}

interface FormLimit {
  bytes: number
  /** The only field that can be at fault, if there is just one. */
  param: string | null
}

/** The largest possible form: no form is larger than all that may be in it. */
function maxFormBytes({ files }: FormRules, maxBytes: number): FormLimit {
  const fields = Object.entries(files)
  const sum = fields.reduce((total, [, { maxCount, maxBytes: each }]) => total + maxCount * each, MAX_TEXT_BYTES + FRAMING_BYTES)
  const [only] = fields
  return { bytes: Math.min(maxBytes, sum), param: fields.length === 1 && only ? only[0] : null }
}

function formTooLarge({ bytes, param }: FormLimit): Refusal {
  return new Refusal('too_large', `The form is larger than ${formatSize(bytes)}. Send less.`, param === null ? {} : { param })
}

function refuseBrokenForm(error: unknown, param: string | null): Refusal {
  const reason = (error as { mark?: unknown } | null)?.mark === 'bad_multipart' ? ` ${(error as Error).message}` : ''
  return new Refusal('invalid_request', `The form could not be read to its end.${reason} Send the whole form again.`, {
    detail: String(error),
    ...(param === null ? {} : { param }),
  })
}

/** A form while it is being read. */
export class FormReader {
  readonly #rules: FormRules
  readonly #spool: SpoolPort
  readonly #accountId: string
  readonly #memory = { leftBytes: MEMORY_BYTES }
  readonly #counts = new Map<string, number>()
  /** One for each part that has begun; null until the part is complete. */
  readonly #parts: (FormPart | null)[] = []
  readonly #files: SpoolFile[] = []
  #textBytes = 0
  /** The name of the part that began last. */
  currentName: string | null = null

  constructor(rules: FormRules, spool: SpoolPort, accountId: string) {
    this.#rules = rules
    this.#spool = spool
    this.#accountId = accountId
  }

  async takePart(headers: PartHeaders, body: AsyncIterable<Buffer>): Promise<void> {
    const lines = headers['content-disposition'] ?? []
    const disposition = lines.length === 1 ? readDisposition(lines[0] ?? '') : null
    if (disposition === null || disposition.name.length > MAX_NAME_LENGTH)
      throw new Refusal(
        'invalid_request',
        `Part ${this.#parts.length + 1} of the form needs one header "Content-Disposition: form-data" with a name of at most ${MAX_NAME_LENGTH} characters.`,
      )
    await this.addPart(disposition.name, disposition.filename, body)
  }

  /** Takes a part: a file, or a text if it has no file name. */
  async addPart(name: string, filename: string | null, body: AsyncIterable<Buffer>): Promise<void> {
    const index = this.#parts.push(null) - 1
    this.currentName = name
    if (this.#parts.length > MAX_PARTS) throw refuseField(name, `The form has more than ${MAX_PARTS} parts. Send fewer.`)
    const rule = this.#ruleOf(name)
    if (filename === null) {
      if (rule) throw refuseField(name, `The field "${name}" must be a file: send it as one, with a file name.`)
      this.#parts[index] = { name, value: await this.#takeText(name, body) }
      return
    }
    if (!rule) throw refuseField(name, `The field "${name}" cannot be a file here. Send it as text.`)
    this.#countFile(name, rule)
    const createFile = async () => {
      const file = await this.#spool.create(this.#accountId)
      this.#files.push(file)
      return file
    }
    const file = await takeUpload(body, { name, filename, rule, memory: this.#memory, createFile })
    this.#parts[index] = { name, file }
  }

  #ruleOf(name: string): FileRule | null {
    const plain = stripArraySuffix(name)
    return Object.hasOwn(this.#rules.files, plain) ? (this.#rules.files[plain] ?? null) : null
  }

  #countFile(name: string, { maxCount }: FileRule): void {
    const count = (this.#counts.get(stripArraySuffix(name)) ?? 0) + 1
    this.#counts.set(stripArraySuffix(name), count)
    if (count > maxCount)
      throw refuseField(
        name,
        `The form has more than ${maxCount === 1 ? 'one file' : `${maxCount} files`} "${stripArraySuffix(name)}". Send fewer.`,
      )
  }

  async #takeText(name: string, body: AsyncIterable<Buffer>): Promise<string> {
    const pieces: Buffer[] = []
    for await (const chunk of body) {
      this.#textBytes += chunk.byteLength
      if (this.#textBytes > MAX_TEXT_BYTES)
        throw new Refusal(
          'too_large',
          `The form has more than ${formatSize(MAX_TEXT_BYTES)} of text, including "${name}". Send less.`,
          {
            param: name,
          },
        )
      pieces.push(chunk)
    }
    const text = decodeUtf8(Buffer.concat(pieces))
    if (text === null) throw refuseField(name, `The field "${name}" is not UTF-8. Send text in UTF-8.`)
    return text
  }

  /** Throws 400 if a file is missing. */
  finish(bytes: number): ParsedForm {
    for (const [name, { minCount = 0 }] of Object.entries(this.#rules.files))
      if ((this.#counts.get(name) ?? 0) < minCount)
        throw refuseField(name, `The form needs ${minCount === 1 ? 'a file' : `${minCount} files`} "${name}".`)
    const parts = this.#parts.filter((part) => part !== null)
    const textBytes = this.#textBytes
    const heldBytes = textBytes + MEMORY_BYTES - this.#memory.leftBytes
    return { form: { parts }, digest: digestOf(parts), bytes, textBytes, heldBytes, dispose: () => this.dispose() }
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#files.splice(0).map((file) => file.remove()))
  }
}

/** Hashes each piece with its length before it, so that no two forms give the same input. */
function digestOf(parts: readonly FormPart[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) {
    const pieces = 'value' in part ? [part.name, part.value] : [part.name, part.file.filename, part.file.type, part.file.sha256]
    hash.update(`${pieces.length}`)
    for (const piece of pieces) hash.update(`:${Buffer.byteLength(piece)}:`).update(piece)
  }
  return hash.digest()
}
