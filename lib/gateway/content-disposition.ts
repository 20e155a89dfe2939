/** What a part of a form declares about itself. */
export interface Disposition {
  name: string
  /** Null if the part is not a file. */
  filename: string | null
}

const PARAMETER = /;[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))[ \t]*/gsy

const MAX_FILENAME_LENGTH = 255

/**
 * Reads a part's Content-Disposition (RFC 7578, section 4.2), given as the bytes of its line in Latin-1. Null if it is
 * invalid, has no name, or contains a parameter twice. Names are UTF-8, as browsers send them; a `filename*` (RFC 8187) takes
 * precedence over the plain one.
 */
export function readDisposition(line: string): Disposition | null {
  const type = /^[ \t]*form-data[ \t]*/i.exec(line)?.[0].length
  if (type === undefined) return null
  const parameters = new Map<string, string>()
  PARAMETER.lastIndex = type
  let end = type
  for (let found = PARAMETER.exec(line); found; found = PARAMETER.exec(line)) {
    const [, parameter = '', quoted, plain = ''] = found
    const key = parameter.toLowerCase()
    if (parameters.has(key)) return null
    parameters.set(key, quoted === undefined ? plain : quoted.replace(/\\(["\\])/g, '$1'))
    end = PARAMETER.lastIndex
  }
  const name = utf8(parameters.get('name') ?? '')
  if (end < line.length || name === null || name === '') return null
  const [extended, plain] = [parameters.get('filename*'), parameters.get('filename')]
  if (extended === undefined && plain === undefined) return { name, filename: null }
  return { name, filename: baseName(decodeExtended(extended) ?? filenameOf(plain ?? extended ?? '')) }
}

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8 text; null if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return DECODER.decode(bytes)
  } catch {
    return null
  }
}

const utf8 = (latin1: string): string | null => decodeUtf8(Buffer.from(latin1, 'latin1'))

/** A file's name matters little: if it is not UTF-8, it is read as Latin-1. */
const filenameOf = (latin1: string): string => utf8(latin1) ?? latin1

function decodeExtended(value: string | undefined): string | null {
  const encoded = /^utf-8'[\w-]*'(.*)$/is.exec(value ?? '')?.[1]
  if (encoded === undefined) return null
  try {
    return decodeURIComponent(encoded)
  } catch {
    return null
  }
}

/** The last part of a path, without folders. Nothing in it can end a line or a C string. */
function baseName(path: string): string {
  const last = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return last
    .replace(/\p{Cc}/gu, '_')
    .slice(-MAX_FILENAME_LENGTH)
    .toWellFormed()
}
