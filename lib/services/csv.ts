/** A cell's value: texts are guarded, numbers and truths are written as they are, null is empty. */
export type CsvValue = string | number | bigint | boolean | null

/** What a file begins with: without this mark Excel reads UTF-8 in the code page of the machine, which breaks Chinese names. */
export const CSV_MARK = '\uFEFF'

/** What a spreadsheet takes for the start of a formula. */
const FORMULA = /^[=+\-@\t\r]/
const NEEDS_QUOTES = /[",\r\n']/

/**
 * One cell, as RFC 4180 has it. A text that a spreadsheet would run as a formula gets an apostrophe in front, which makes
 * it a text there, and stands in quotes.
 */
export function csvCell(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line, with its end. */
export const csvLine = (values: readonly CsvValue[]): string => `${values.map(csvCell).join(',')}\r\n`
