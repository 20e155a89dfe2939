import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asRefusal } from '../domain/errors.ts'
import { type Upload, valuesOf } from '../domain/form.ts'
import type { IncomingRequest } from './answer.ts'
import { type FormRules, type ReadForm, readForm } from './read-form.ts'
import { BOUNDARY, formBytes, MemorySpool, PNG, type RawPart } from './testing.ts'

const MIB = 1024 * 1024
const RULES: FormRules = {
  kind: 'form',
  files: {
    image: { most: 16, maxBytes: 4 * MIB, types: ['image/png', 'image/jpeg'] },
    mask: { most: 1, maxBytes: 100, types: ['image/png'] },
  },
}
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`
const png = (bytes: number): Buffer => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length, 'x')])

interface Sent {
  body: Buffer
  type?: string
  /** Where the bytes are cut. */
  cuts?: readonly number[]
  headers?: Record<string, string>
  rules?: FormRules
  maxBytes?: number
  spool?: MemorySpool
}

/** A request whose body comes in the pieces that a test wants. */
function requestOf({ body, type = TYPE, cuts = [], headers = {} }: Sent): IncomingRequest {
  const bounds = [0, ...cuts.toSorted((a, b) => a - b).filter((cut) => cut < body.length), body.length]
  const pieces = bounds.slice(1).map((end, n) => body.subarray(bounds[n], end))
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift()
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    },
  })
  const all = new Headers({ 'content-type': type, ...headers })
  if (type === '') all.delete('content-type')
  return {
    method: 'POST',
    url: 'http://localhost/',
    headers: all,
    signal: new AbortController().signal,
    body: stream,
    bytes: async () => body,
  }
}

const read = (sent: Sent): Promise<ReadForm> =>
  readForm(requestOf(sent), sent.rules ?? RULES, sent.spool ?? new MemorySpool(), 'acc_1', {
    maxBytes: sent.maxBytes ?? 50 * MIB,
  })

async function contentOf(file: Upload): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of file.read()) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** A form in a shape that compares. */
async function plain({ form, digest, bytes, textBytes }: ReadForm): Promise<object> {
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

const ORDINARY: readonly RawPart[] = [
  { name: 'model', body: 'a/b' },
  { name: 'image[]', filename: 'a.png', type: 'application/octet-stream', body: PNG },
  { name: 'tag', body: '' },
  { name: 'image[]', filename: 'b.jpg', type: 'image/jpeg', body: Buffer.from('ffd8ffe000', 'hex') },
  { name: 'tag', body: 'Größe\r\n--' },
]

describe('a form', () => {
  it('keeps its parts, in their order, with repeats', async () => {
    const got = await read({ body: formBytes(ORDINARY) })
    expect(await plain(got)).toMatchObject({
      parts: [
        { name: 'model', value: 'a/b' },
        { name: 'image[]', filename: 'a.png', type: 'image/png', content: PNG.toString('latin1') },
        { name: 'tag', value: '' },
        { name: 'image[]', filename: 'b.jpg', type: 'image/jpeg' },
        { name: 'tag', value: 'Größe\r\n--' },
      ],
      bytes: formBytes(ORDINARY).length,
      textBytes: 3 + 'Größe\r\n--'.length + 2,
    })
    expect(valuesOf(got.form, 'tag')).toEqual(['', 'Größe\r\n--'])
  })

  it('is the same wherever its bytes were cut', async () => {
    const body = Buffer.concat([Buffer.from('before\r\n'), formBytes(ORDINARY), Buffer.from('after')])
    const whole = await plain(await read({ body }))
    const everyByte = Array.from({ length: body.length }, (_, at) => at)
    expect(await plain(await read({ body, cuts: everyByte }))).toEqual(whole)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(body.length)), async (cuts) => {
        expect(await plain(await read({ body, cuts }))).toEqual(whole)
      }),
      { numRuns: 200 },
    )
  })

  it('has a digest of its contents, not of its boundary', async () => {
    const digestOf = async (parts: readonly RawPart[], boundary = BOUNDARY) =>
      (await read({ body: formBytes(parts, boundary), type: `multipart/form-data; boundary="${boundary}"` })).digest.toString(
        'hex',
      )
    const [first, ...rest] = ORDINARY as [RawPart, ...RawPart[]]
    const one = await digestOf(ORDINARY)
    expect(await digestOf(ORDINARY, 'another one')).toBe(one)
    const others = [
      rest,
      [...rest, first],
      [{ ...first, body: 'a/c' }, ...rest],
      [{ ...first, name: 'mode', body: 'la/b' }, ...rest],
      ORDINARY.map((part) => (part.filename === 'a.png' ? { ...part, filename: 'c.png' } : part)),
      ORDINARY.map((part) => (part.filename === 'a.png' ? { ...part, body: png(20) } : part)),
    ]
    const digests = await Promise.all(others.map((parts) => digestOf(parts)))
    expect(new Set([one, ...digests]).size).toBe(others.length + 1)
  })

  it('has large files on disk, and removes them once', async () => {
    const spool = new MemorySpool()
    const [small, large] = [png(MIB - 1000), png(3 * MIB)]
    const parts = [small, large, png(500), png(600)].map((body) => ({ name: 'image', filename: 'x.png', body }))
    const got = await read({ body: formBytes(parts), cuts: Array.from({ length: 100 }, (_, n) => n * 65_536), spool })
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

describe('a form that is turned down', () => {
  const image = (body: Buffer | string, filename = 'x.png'): RawPart => ({ name: 'image', filename, body })
  const good = formBytes(ORDINARY)
  const only: FormRules = { kind: 'form', files: { file: { most: 1, maxBytes: MIB, types: ['audio/*'] } } }
  const needing: FormRules = { kind: 'form', files: { image: { most: 16, least: 1, maxBytes: MIB, types: ['image/*'] } } }
  const cases: [string, Sent, number, string | null, RegExp][] = [
    ['JSON', { body: Buffer.from('{}'), type: 'application/json' }, 415, null, /multipart\/form-data/],
    ['no type', { body: good, type: '' }, 415, null, /multipart\/form-data/],
    ['a URL-encoded form', { body: Buffer.from('a=b'), type: 'application/x-www-form-urlencoded' }, 415, null, /multipart/],
    ['compressed', { body: good, headers: { 'content-encoding': 'gzip' } }, 415, null, /uncompressed/],
    ['no boundary', { body: good, type: 'multipart/form-data' }, 400, 'Content-Type', /boundary/],
    [
      'a boundary that is too long',
      { body: good, type: `multipart/form-data; boundary=${'x'.repeat(71)}` },
      400,
      'Content-Type',
      /boundary/,
    ],
    ['another boundary', { body: good, type: 'multipart/form-data; boundary=other' }, 400, null, /last boundary/],
    ['nothing', { body: Buffer.alloc(0) }, 400, null, /last boundary/],
    ['cut in a file', { body: good.subarray(0, good.indexOf(PNG) + 12) }, 400, 'image[]', /last boundary|to its end/],
    ['cut in a header', { body: good.subarray(0, good.indexOf('filename')) }, 400, 'model', /to its end/],
    ['cut in its last boundary', { body: good.subarray(0, -4) }, 400, 'tag', /last boundary/],
    [
      'a part without headers',
      { body: Buffer.from(`--${BOUNDARY}\r\n\r\nx\r\n--${BOUNDARY}--`) },
      400,
      null,
      /Content-Disposition/,
    ],
    [
      'a part without a name',
      { body: Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data\r\n\r\nx\r\n--${BOUNDARY}--`) },
      400,
      null,
      /Part 1/,
    ],
    [
      'a part that ends in its headers',
      { body: Buffer.from(`--${BOUNDARY}\r\nA: b\r\n--${BOUNDARY}--\r\n`) },
      400,
      null,
      /Content-Disposition/,
    ],
    ['a name that is too long', { body: formBytes([{ name: 'n'.repeat(201), body: '' }]) }, 400, null, /200/],
    ['a text that is not UTF-8', { body: formBytes([{ name: 'prompt', body: Buffer.from([0xff]) }]) }, 400, 'prompt', /UTF-8/],
    ['text where a file must be', { body: formBytes([{ name: 'image', body: 'x' }]) }, 400, 'image', /must be a file/],
    [
      'a file where text must be',
      { body: formBytes([{ name: 'prompt', filename: 'x', body: 'x' }]) },
      400,
      'prompt',
      /cannot be a file/,
    ],
    [
      'a file for a name that every object has',
      { body: formBytes([{ name: 'constructor', filename: 'x', body: 'x' }]) },
      400,
      'constructor',
      /cannot/,
    ],
    ['an empty file', { body: formBytes([image('')]) }, 400, 'image', /empty/],
    ['a text named .png', { body: formBytes([image('I am no picture.')]) }, 400, 'image', /image\/png, image\/jpeg/],
    [
      'a long text named .png',
      { body: formBytes([image('no picture '.repeat(5000))]), cuts: [200, 300] },
      400,
      'image',
      /image\/png/,
    ],
    ['no file', { body: formBytes([{ name: 'model', body: 'a/b' }]), rules: needing }, 400, 'image', /needs a file/],
    ['twenty files', { body: formBytes(Array.from({ length: 20 }, () => image(PNG))) }, 400, 'image', /more than 16/],
    ['two masks', { body: formBytes([1, 2].map(() => ({ name: 'mask', filename: 'm', body: PNG }))) }, 400, 'mask', /one file/],
    ['too many parts', { body: formBytes(Array.from({ length: 129 }, () => ({ name: 'a', body: '' }))) }, 400, 'a', /128/],
    [
      'a file that is too large',
      { body: formBytes([{ name: 'mask', filename: 'm', body: png(101) }]) },
      413,
      'mask',
      /100 bytes/,
    ],
    [
      'a spooled file that is too large',
      { body: formBytes([image(png(4 * MIB + 1))]), cuts: [MIB, 2 * MIB] },
      413,
      'image',
      /4 MiB/,
    ],
    ['too much text', { body: formBytes([{ name: 'prompt', body: 'x'.repeat(MIB + 1) }]) }, 413, 'prompt', /1 MiB/],
    ['a form that is too large', { body: formBytes([image(png(2 * MIB))]), cuts: [MIB], maxBytes: MIB }, 413, 'image', /1 MiB/],
    ['a length that is too large', { body: Buffer.alloc(0), headers: { 'content-length': '1000000000' } }, 413, null, /50 MiB/],
    [
      'a length that is too large for the only file',
      { body: Buffer.alloc(0), headers: { 'content-length': '1000000000' }, rules: only },
      413,
      'file',
      /2\.2 MiB/,
    ],
    [
      'no room',
      { body: formBytes([image(png(3 * MIB))]), cuts: [MIB, 2 * MIB], spool: new MemorySpool(2 * MIB) },
      429,
      null,
      /room/,
    ],
    [
      'no room for its length',
      { body: Buffer.alloc(0), headers: { 'content-length': '3000000' }, spool: new MemorySpool(2 * MIB) },
      429,
      null,
      /room/,
    ],
  ]
  it.each(cases)('%s', async (_, sent, status, param, message) => {
    const spool = sent.spool ?? new MemorySpool()
    const error = await read({ ...sent, spool }).then(
      () => expect.unreachable(),
      (caught: unknown) => asRefusal(caught),
    )
    expect(error).toMatchObject({ status, param, message: expect.stringMatching(message) })
    expect(error?.message).toMatch(/^[A-Z"].*\.$/s)
    expect(spool.files.size).toBe(0)
    expect(spool.usedBytes).toBe(0)
  })

  it('whatever is done to it, it is a refusal or a form, and leaves nothing', async () => {
    const body = formBytes([...ORDINARY, image(png(MIB + 5000))])
    const edit = fc.record({
      at: fc.nat(1500),
      cut: fc.nat(30),
      put: fc.oneof(
        fc.uint8Array({ maxLength: 20 }),
        fc.constantFrom(
          ...['\r\n', '\r\n\r\n', '--', `\r\n--${BOUNDARY}`, `--${BOUNDARY}--`, '"', '\0', 'filename="'].map((text) =>
            Buffer.from(text),
          ),
        ),
      ),
    })
    const mutate = (edits: { at: number; cut: number; put: Uint8Array }[]) =>
      edits.reduce((bytes, { at, cut, put }) => Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)]), body)
    const outcomes = { read: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.array(edit, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(body.length), { maxLength: 10 }),
        fc.option(fc.nat(body.length)),
        async (edits, cuts, end) => {
          const spool = new MemorySpool()
          const mutated = mutate(edits)
          const got = await read({ body: end === null ? mutated : mutated.subarray(0, end), cuts, spool }).catch(
            (error: unknown) => {
              expect(asRefusal(error)?.status).toBeOneOf([400, 413])
              return null
            },
          )
          outcomes[got ? 'read' : 'refused']++
          await got?.dispose()
          expect(spool).toMatchObject({ usedBytes: 0 })
          expect(spool.files.size).toBe(0)
        },
      ),
      { numRuns: 300 },
    )
    expect(Math.min(outcomes.read, outcomes.refused)).toBeGreaterThan(10)
  }, 30_000)
})

describe('a sender', () => {
  const pace = { graceMs: 200, leastBytesPerSecond: 10_000, stallMs: 300 }
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
