/** A file that came with a request: in memory if it is small, otherwise on disk until the request is over. */
export interface Upload {
  filename: string
  /** The media type of its content. */
  type: string
  bytes: number
  /** Hexadecimal. */
  sha256: string
  /** Its path on disk, or null if it is in memory. */
  path: string | null
  /** Reads its bytes. Can be called several times. */
  read(): AsyncIterable<Uint8Array>
}

export type FormPart = { name: string; value: string } | { name: string; file: Upload }

/** A multipart body: its parts in order, including repeated names. */
export interface Form {
  parts: readonly FormPart[]
}

/** The name without a trailing `[]`: `image[]` is another way to write a list of `image`. */
export const stripArraySuffix = (name: string): string => name.replace(/\[\]$/, '')

/** The text values of a form under a name. */
export function valuesOf(form: Form, name: string): string[] {
  return form.parts.flatMap((part) => ('value' in part && stripArraySuffix(part.name) === name ? [part.value] : []))
}

/** The files of a form under a name. */
export function filesOf(form: Form, name: string): Upload[] {
  return form.parts.flatMap((part) => ('file' in part && stripArraySuffix(part.name) === name ? [part.file] : []))
}
