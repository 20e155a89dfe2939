import { describe, expect, it } from 'vitest'
import { parseFormFields, withLowercaseSwitches } from './form-fields.ts'

const read = (value: string): unknown =>
  parseFormFields({ parts: [{ name: 'temperature', value }] }, { numbers: ['temperature'] }).temperature

describe('a number in a form', () => {
  it.each(['0', '2', '0.2', '-1.5', '.5', '1.', '1e-7', '1E+2', '2.5e-10'])('is what it says: %s', (text) =>
    expect(read(text)).toBe(Number(text)),
  )

  it.each(['', '.', '-', 'e5', '1e', '0x10', '1,5', ' 1', 'Infinity', 'NaN', '1e999', '12345678901234567890'])(
    'is refused where it is none, with a word on what is meant: %j',
    (text) => expect(() => read(text)).toThrow('The field "temperature" is not accepted: it must be a number, such as 2 or 0.5.'),
  )
})

describe('a switch in a form', () => {
  const read = (value: string): unknown =>
    parseFormFields({ parts: [{ name: 'stream', value }] }, { switches: ['stream'] }).stream

  it('is true or false, in small letters or capitals, as Python writes them, and nothing else', () => {
    expect(['true', 'True', 'TRUE'].map(read)).toEqual([true, true, true])
    expect(['false', 'False', 'FALSE'].map(read)).toEqual([false, false, false])
    for (const text of ['', 'yes', '1', 'None', ' true']) expect(() => read(text), text).toThrow('it must be true or false')
  })

  it('is sent on in small letters, and everything else as it came', () => {
    const parts = [
      { name: 'stream', value: 'True' },
      { name: 'prompt', value: 'True' },
    ]
    expect(withLowercaseSwitches({ parts }, { switches: ['stream'] })).toEqual({
      parts: [{ name: 'stream', value: 'true' }, parts[1]],
    })
  })
})
