import { describe, expect, it } from 'vitest'
import { fieldsOf } from './form-fields.ts'

const read = (value: string): unknown =>
  fieldsOf({ parts: [{ name: 'temperature', value }] }, { numbers: ['temperature'] }).temperature

describe('a number in a form', () => {
  it.each(['0', '2', '0.2', '-1.5', '.5', '1.', '1e-7', '1E+2', '2.5e-10'])('is what it says: %s', (text) =>
    expect(read(text)).toBe(Number(text)),
  )

  it.each(['', '.', '-', 'e5', '1e', '0x10', '1,5', ' 1', 'Infinity', 'NaN', '1e999', '12345678901234567890'])(
    'stays text where it is none, which its schema refuses: %j',
    (text) => expect(read(text)).toBe(text),
  )
})
