import { asBuffer } from '../domain/as-buffer.ts'

// Arrays in PostgreSQL's input format (manual, section 8.15.6). The driver's own encoder is general and several times slower.

/** Encodes an array of texts. */
export function encodeTextArray(values: readonly (string | null)[]): string {
  // Nearly always, quotes are all that they need.
  if (values.length > 0 && !values.includes(null) && !SPECIAL.test(values.join(''))) return `{"${values.join('","')}"}`
  let out = ''
  for (const value of values) out += value === null ? ',NULL' : `,${quote(value)}`
  return `{${out.slice(1)}}`
}

const SPECIAL = /["\\]/

const quote = (value: string): string => (SPECIAL.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`)

/** Encodes an array of values that need no quotes. */
export const encodeUnquotedArray = (values: readonly (bigint | number | boolean | null)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join()}}`

/** Encodes an array of byte strings. */
export const encodeByteaArray = (values: readonly Uint8Array[]): string =>
  `{${values.map((value) => `"\\\\x${asBuffer(value).toString('hex')}"`).join()}}`
