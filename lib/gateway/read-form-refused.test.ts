import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asRefusal } from '../domain/errors.ts'
import type { FormRules } from './read-form.ts'
import { BOUNDARY, formBytes, MemorySpool, PNG, type RawPart } from './testing.ts'
import { MIB, png, readTestForm, type TestForm, VALID_PARTS } from './testing-form.ts'

describe('a form that is turned down', () => {
  const image = (body: Buffer | string, filename = 'x.png'): RawPart => ({ name: 'image', filename, body })
  const good = formBytes(VALID_PARTS)
  const only: FormRules = { kind: 'form', files: { file: { maxCount: 1, maxBytes: MIB, types: ['audio/*'] } } }
  const needing: FormRules = { kind: 'form', files: { image: { maxCount: 16, minCount: 1, maxBytes: MIB, types: ['image/*'] } } }
  const cases: [string, TestForm, number, string | null, RegExp][] = [
    ['JSON', { body: Buffer.from('{}'), type: 'application/json' }, 415, null, /multipart\/form-data/],
    ['no type', { body: good, type: '' }, 415, null, /multipart\/form-data/],
    ['a URL-encoded form', { body: Buffer.from('a=b'), type: 'application/x-www-form-urlencoded' }, 415, null, /multipart/],
    ['compressed', { body: good, headers: { 'content-encoding': 'gzip' } }, 415, null, /uncompressed/],
    ['UTF-16', { body: good, type: `multipart/form-data; charset=utf-16; boundary=${BOUNDARY}` }, 415, null, /in UTF-8/],
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
    const error = await readTestForm({ ...sent, spool }).then(
      () => expect.unreachable(),
      (caught: unknown) => asRefusal(caught),
    )
    expect(error).toMatchObject({ status, param, message: expect.stringMatching(message) })
    expect(error?.message).toMatch(/^[A-Z"].*\.$/s)
    expect(spool.files.size).toBe(0)
    expect(spool.usedBytes).toBe(0)
  })

  it('whatever is done to it, it is a refusal or a form, and leaves nothing', async () => {
    const body = formBytes([...VALID_PARTS, image(png(MIB + 5000))])
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
          const got = await readTestForm({ body: end === null ? mutated : mutated.subarray(0, end), cuts, spool }).catch(
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
