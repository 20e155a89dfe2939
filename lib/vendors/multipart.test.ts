import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { FormPart, Upload } from '../domain/form.ts'
import { multipartOf, newBoundary } from './multipart.ts'

/** A file in memory that is read a few bytes at a time. */
const fileOf = (filename: string, content: Uint8Array, type = 'image/png'): Upload => ({
  filename,
  type,
  bytes: content.byteLength,
  sha256: '',
  path: null,
  async *read() {
    for (let at = 0; at < content.byteLength; at += 7) yield content.subarray(at, at + 7)
  },
})

async function bytesOf(parts: FormPart[], boundary = newBoundary()) {
  const { type, bytes, read } = multipartOf({ parts }, boundary)
  const pieces: Uint8Array[] = []
  for await (const piece of read()) pieces.push(piece)
  return { type, bytes, body: Buffer.concat(pieces) }
}

it('is what the standard says', async () => {
  const file = fileOf('a "b".png', Buffer.from('PNG'))
  const { type, bytes, body } = await bytesOf(
    [
      { name: 'model', value: 'ü' },
      { name: 'image[]', file },
    ],
    'B',
  )
  expect(type).toBe('multipart/form-data; boundary=B')
  expect(body.toString()).toBe(
    '--B\r\nContent-Disposition: form-data; name="model"\r\n\r\nü\r\n' +
      '--B\r\nContent-Disposition: form-data; name="image[]"; filename="a %22b%22.png"\r\nContent-Type: image/png\r\n\r\nPNG\r\n' +
      '--B--\r\n',
  )
  expect(bytes).toBe(body.byteLength)
})

it('cannot be given headers or parts by a name', async () => {
  const evil = 'x"\r\nContent-Type: text/html\r\n\r\n--B--\r\n\0'
  const { body } = await bytesOf([{ name: evil, file: fileOf(evil, Buffer.from('1'), 'text/plain\r\nX: y') }], 'B')
  const text = body.toString()
  expect(text.match(/\r\n/g)?.length).toBe(6)
  expect(text).toContain('\r\nContent-Type: application/octet-stream\r\n\r\n1\r\n--B--\r\n')
})

it('is read by the platform as it was meant, and is as long as it said', async () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((text) => text.isWellFormed() && !/[\0\r\n"]/.test(text))
  const value = fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed())
  const part = fc.oneof(
    fc.record({ name, value }),
    fc.record({
      name,
      file: fc.tuple(name, fc.uint8Array({ maxLength: 50 })).map(([filename, content]) => fileOf(filename, content)),
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
      const { type, bytes, body } = await bytesOf(parts)
      expect(body.byteLength).toBe(bytes)
      const read = [...(await new Response(body, { headers: { 'content-type': type } }).formData()).entries()]
      expect(read.length).toBe(parts.length)
      for (const [at, [readName, readValue]] of read.entries()) {
        const sent = parts[at] as FormPart
        expect(readName).toBe(sent.name)
        if ('value' in sent) expect(readValue).toBe(sent.value)
        else {
          expect((readValue as File).name).toBe(sent.file.filename)
          const content = await bytesOf([sent]).then((alone) => alone.bytes)
          expect(content).toBeGreaterThan((readValue as File).size)
          expect((readValue as File).size).toBe(sent.file.bytes)
        }
      }
    }),
  )
})
