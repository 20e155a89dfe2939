/** A cell's value: text is guarded against formulas, numbers and booleans are written as they are, null is empty. */
export type CsvValue = string | number | bigint | boolean | null

/** The start of a file. Without this mark Excel reads UTF-8 in the machine's code page, which breaks Chinese names. */
export const CSV_BOM = '\uFEFF'

/** What a spreadsheet takes as the start of a formula. */
const FORMULA_START = /^[=+\-@\t\r]/
const NEEDS_QUOTES = /[",\r\n']/

/**
 * Formats one cell as in RFC 4180. Text that a spreadsheet would run as a formula gets a leading apostrophe, which makes it text
 * there, and is quoted.
 */
export function formatCsvCell(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const text = FORMULA_START.test(value) ? `'${value}` : value
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Formats one line, including its line ending. */
export const formatCsvLine = (values: readonly CsvValue[]): string => `${values.map(formatCsvCell).join(',')}\r\n`
