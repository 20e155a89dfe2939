import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { measureCpuMs } from '../domain/testing.ts'
import { readDisposition } from './content-disposition.ts'

const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

describe('what a part says of itself', () => {
  it.each<[string, string, string | null]>([
    ['form-data; name="model"', 'model', null],
    ['Form-Data;name=model', 'model', null],
    ['form-data; name="image[]"; filename="a.png"', 'image[]', 'a.png'],
    ['form-data; filename="a;b.png"; name="image"', 'image', 'a;b.png'],
    ['form-data; name="a\\"b\\\\c"; filename=""', 'a"b\\c', ''],
    ['form-data; name="f"; filename="C:\\dir\\a.png"', 'f', 'a.png'],
    ['form-data; name="f"; filename="../../etc/passwd"', 'f', 'passwd'],
    ['form-data; name="f"; filename="a\0b.png"', 'f', 'a_b.png'],
    [latin1('form-data; name="Größe"; filename="音.wav"'), 'Größe', '音.wav'],
    ["form-data; name=f; filename=x; filename*=UTF-8''%E9%9F%B3.wav", 'f', '音.wav'],
    ["form-data; name=f; filename*=utf-8'de'%C3%BC", 'f', 'ü'],
    ['form-data; name="__proto__"', '__proto__', null],
  ])('%j', (line, name, filename) => expect(readDisposition(line)).toEqual({ name, filename }))

  it.each([
    '',
    'form-data',
    'form-data; name=""',
    'attachment; name="a"',
    'form-data; name="a',
    'form-data; name="a" x',
    'form-data; name="a"; name="b"',
    'form-data; name="\xff"',
  ])('says nothing: %j', (line) => expect(readDisposition(line)).toBeNull())

  it.each([
    ['form-data; name="f"; filename="\xfc.wav"', 'ü.wav'],
    ["form-data; name=f; filename*=UTF-8''%ff", "UTF-8''%ff"],
    ["form-data; name=f; filename*=latin1''x", "latin1''x"],
    ["form-data; name=f; filename=a.wav; filename*=UTF-8''%ff", 'a.wav'],
  ])('is a file all the same where its name cannot be decoded: %j', (line, filename) =>
    expect(readDisposition(line)).toEqual({ name: 'f', filename }),
  )

  it('is read in a time that grows with its length alone', () => {
    const long = ['; a="', '\\"', '; ', '=', ' \t'].map((piece) => `form-data${piece.repeat(100_000)}`)
    // It would take minutes if the time grew quadratically.
    expect(measureCpuMs(() => long.map(readDisposition))).toBeLessThan(5000)
  })

  it('never throws, and gives back every name and file name as it was written', () => {
    fc.assert(fc.property(fc.string(), (text) => void readDisposition(`form-data${text}`)))
    const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\r\n]/.test(text) && text.isWellFormed())
    fc.assert(
      fc.property(name, (text) => {
        const quoted = latin1(text.replace(/["\\]/g, '\\$&'))
        expect(readDisposition(`form-data; name="${quoted}"`)?.name).toBe(text)
      }),
    )
  })
})
