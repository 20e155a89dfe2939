/** A part of a form that is a file. */
export interface FilePart {
  filename: string
  content: Buffer | string
}

export type FormFields = readonly (readonly [string, string | FilePart])[]

/** A multipart body, and the media type that names its boundary. */
export function formBody(fields: FormFields, boundary = 'a-boundary-of-a-test'): { type: string; body: Buffer } {
  const pieces = fields.flatMap(([name, value]) => {
    const file = typeof value === 'string' ? '' : `; filename="${value.filename}"\r\nContent-Type: application/octet-stream`
    return [
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`),
      Buffer.from(typeof value === 'string' ? value : value.content),
      Buffer.from('\r\n'),
    ]
  })
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  }
}
