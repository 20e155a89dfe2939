/** A file that came with a request: in memory while it is small, else on disk until the request is over. */
export interface Upload {
  filename: string
  /** The media type that its content has. */
  type: string
  bytes: number
  /** Hexadecimal. */
  sha256: string
  /** Where it lies on disk; null where it is in memory. */
  path: string | null
  /** Its bytes; may be read several times. */
  read(): AsyncIterable<Uint8Array>
}

export type FormPart = { name: string; value: string } | { name: string; file: Upload }

/** A multipart body: its parts in their order, repeats and all. */
export interface Form {
  parts: readonly FormPart[]
}

/** `image[]` is a way to write a list of `image`. */
export const plainName = (name: string): string => name.replace(/\[\]$/, '')

/** The texts of a form under a name. */
export function valuesOf(form: Form, name: string): string[] {
  return form.parts.flatMap((part) => ('value' in part && plainName(part.name) === name ? [part.value] : []))
}

/** The files of a form under a name. */
export function filesOf(form: Form, name: string): Upload[] {
  return form.parts.flatMap((part) => ('file' in part && plainName(part.name) === name ? [part.file] : []))
}
