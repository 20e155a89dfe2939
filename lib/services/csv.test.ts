import { describe, expect, it } from 'vitest'
import { formatCsvCell, formatCsvLine } from './csv.ts'

describe('csvCell', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', `"'=1+1"`],
    ['+49 30', `"'+49 30"`],
    ['-2', `"'-2"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\tx', `"'\tx"`],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['a=b', 'a=b'],
    ['', ''],
  ])('writes the text %j as %j', (text, cell) => {
    expect(formatCsvCell(text)).toBe(cell)
  })

  it.each([
    [-3, '-3'],
    [12n, '12'],
    [true, 'true'],
    [null, ''],
  ])('writes %s as it is', (value, cell) => {
    expect(formatCsvCell(value)).toBe(cell)
  })
})

describe('csvLine', () => {
  it('ends as RFC 4180 has it', () => {
    expect(formatCsvLine(['a', 1, null])).toBe('a,1,\r\n')
  })
})
