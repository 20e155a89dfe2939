import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Upload, valuesOf } from '../domain/form.ts'
import { type ParsedForm, readForm } from './read-form.ts'
import { BOUNDARY, formBytes, MemorySpool, PNG, type RawPart } from './testing.ts'
import { MIB, png, RULES, readTestForm, requestOf, VALID_PARTS } from './testing-form.ts'

async function contentOf(file: Upload): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of file.read()) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** A form in a shape that can be compared. */
async function plain({ form, digest, bytes, textBytes }: ParsedForm): Promise<object> {
  const parts = await Promise.all(
    form.parts.map(async (part) =>
      'value' in part
        ? part
        : {
            name: part.name,
            filename: part.file.filename,
            type: part.file.type,
            content: (await contentOf(part.file)).toString('latin1'),
          },
    ),
  )
  return { parts, digest: digest.toString('hex'), bytes, textBytes }
}

describe('a form', () => {
  it('keeps its parts, in their order, with repeats', async () => {
    const got = await readTestForm({ body: formBytes(VALID_PARTS) })
    expect(await plain(got)).toMatchObject({
      parts: [
        { name: 'model', value: 'a/b' },
        { name: 'image[]', filename: 'a.png', type: 'image/png', content: PNG.toString('latin1') },
        { name: 'tag', value: '' },
        { name: 'image[]', filename: 'b.jpg', type: 'image/jpeg' },
        { name: 'tag', value: 'Größe\r\n--' },
      ],
      bytes: formBytes(VALID_PARTS).length,
      textBytes: 3 + 'Größe\r\n--'.length + 2,
    })
    expect(valuesOf(got.form, 'tag')).toEqual(['', 'Größe\r\n--'])
  })

  it('is the same wherever its bytes were cut', async () => {
    const body = Buffer.concat([Buffer.from('before\r\n'), formBytes(VALID_PARTS), Buffer.from('after')])
    const whole = await plain(await readTestForm({ body }))
    const everyByte = Array.from({ length: body.length }, (_, at) => at)
    expect(await plain(await readTestForm({ body, cuts: everyByte }))).toEqual(whole)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(body.length)), async (cuts) => {
        expect(await plain(await readTestForm({ body, cuts }))).toEqual(whole)
      }),
      { numRuns: 200 },
    )
  })

  it('has a digest of its contents, not of its boundary', async () => {
    const digestOf = async (parts: readonly RawPart[], boundary = BOUNDARY) =>
      (
        await readTestForm({ body: formBytes(parts, boundary), type: `multipart/form-data; boundary="${boundary}"` })
      ).digest.toString('hex')
    const [first, ...rest] = VALID_PARTS as [RawPart, ...RawPart[]]
    const one = await digestOf(VALID_PARTS)
    expect(await digestOf(VALID_PARTS, 'another one')).toBe(one)
    const others = [
      rest,
      [...rest, first],
      [{ ...first, body: 'a/c' }, ...rest],
      [{ ...first, name: 'mode', body: 'la/b' }, ...rest],
      VALID_PARTS.map((part) => (part.filename === 'a.png' ? { ...part, filename: 'c.png' } : part)),
      VALID_PARTS.map((part) => (part.filename === 'a.png' ? { ...part, body: png(20) } : part)),
    ]
    const digests = await Promise.all(others.map((parts) => digestOf(parts)))
    expect(new Set([one, ...digests]).size).toBe(others.length + 1)
  })

  it('has large files on disk, and removes them once', async () => {
    const spool = new MemorySpool()
    const [small, large] = [png(MIB - 1000), png(3 * MIB)]
    const parts = [small, large, png(500), png(600)].map((body) => ({ name: 'image', filename: 'x.png', body }))
    const got = await readTestForm({ body: formBytes(parts), cuts: Array.from({ length: 100 }, (_, n) => n * 65_536), spool })
    const files = got.form.parts.flatMap((part) => ('file' in part ? [part.file] : []))
    expect(files.map(({ path }) => path !== null)).toEqual([false, true, false, true])
    expect(files[1]?.sha256).toBe(createHash('sha256').update(large).digest('hex'))
    for (let times = 0; times < 2; times++) expect((await contentOf(files[1] as Upload)).equals(large)).toBe(true)
    expect(spool.usedBytes).toBe(3 * MIB + 600)
    expect(got).toMatchObject({ textBytes: 0, heldBytes: MIB - 500 })
    await Promise.all([got.dispose(), got.dispose()])
    expect(spool).toMatchObject({ usedBytes: 0, created: 2 })
    expect(spool.files.size).toBe(0)
  })
})

describe('a sender', () => {
  const pace = { graceMs: 200, minBytesPerSecond: 10_000, stallMs: 300 }
  const reading = (body: ReadableStream<Uint8Array>, spool: MemorySpool) =>
    readForm({ ...requestOf({ body: Buffer.alloc(0) }), body }, RULES, spool, 'acc_1', { maxBytes: 50 * MIB, pace })
  const start = formBytes([{ name: 'image', filename: 'x.png', body: png(2 * MIB) }]).subarray(0, 2 * MIB)

  it('that is too slow is not waited for', async () => {
    const spool = new MemorySpool()
    let timer: NodeJS.Timeout | undefined
    const drip = new ReadableStream<Uint8Array>({
      start(controller) {
        timer = setInterval(() => controller.enqueue(Buffer.from('x')), 20)
      },
    })
    // The drip never ends by itself.
    await expect(reading(drip, spool)).rejects.toMatchObject({ condition: 'upload_too_slow' })
    clearInterval(timer)
  })

  it('that stops after it was fast is not waited for either', async () => {
    const spool = new MemorySpool()
    const stalling = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(start) })
    await expect(reading(stalling, spool)).rejects.toMatchObject({ condition: 'upload_too_slow' })
    expect(spool).toMatchObject({ created: 1, usedBytes: 0 })
    expect(spool.files.size).toBe(0)
  })

  it('that leaves leaves nothing behind', async () => {
    const spool = new MemorySpool()
    const sent = [start]
    const leaving = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const bytes = sent.pop()
          if (bytes) controller.enqueue(bytes)
          else controller.error(new Error('aborted'))
        },
      },
      { highWaterMark: 0 },
    )
    await expect(reading(leaving, spool)).rejects.toMatchObject({ condition: 'invalid_request', param: 'image' })
    expect(spool).toMatchObject({ created: 1, usedBytes: 0 })
    expect(spool.files.size).toBe(0)
  })
})
