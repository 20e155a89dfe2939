/**
 * Shapes shared by the console's JSON API and the browser.
 *
 * Money travels as a string of whole nano-dollars (`"1500000000"` is 1.50), because a JSON number
 * cannot hold it; times travel as ISO 8601 strings in UTC.
 */
import { z } from 'zod'

// Aborts, because checks that follow would otherwise read a number out of any text.
export const nano = z.string().regex(/^-?\d{1,19}$/, { abort: true })
export const time = z.iso.datetime()
export const count = z.number().int().nonnegative()

/**
 * Reads a number from its digits, as texts of a query, a command or a setting have it. Number() would also read `0x10`, `1e1`
 * and blanks.
 */
export const parseInteger = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value
/** A whole number, as text in a query or as a number in a body. */
export const integer = (min: number, max?: number) => {
  const number = z.number().int().min(min)
  return z.preprocess(parseInteger, max === undefined ? number : number.max(max))
}
/** How many rows a page of a list has. */
export const pageLimit = (defaultLimit: number, maxLimit: number) => integer(1, maxLimit).default(defaultLimit)

/**
 * A text on one line with something visible in it, and no characters that reverse the direction of its letters or hide
 * between them.
 */
export const printable = /^(?=.*[\p{L}\p{N}\p{P}\p{S}])(?:[^\p{Cc}\p{Cf}]|[\u200c\u200d])+$/u
export const INVISIBLE_CHARACTERS = 'Remove invisible characters and enter visible ones.'
/** A name or a similar printable text, with a maximum number of characters. */
export const singleLine = (maxLength: number) => z.string().trim().min(1).max(maxLength).regex(printable, INVISIBLE_CHARACTERS)

/** The answer of every console API that refuses a request: `field` names the form field at fault. */
export const problem = z.object({
  error: z.object({ code: z.string(), message: z.string(), field: z.string().optional() }),
})
export type Problem = z.infer<typeof problem>

/** A page of a list that is read page by page: pass `next` back as `before` to continue. */
export const pageSchema = <T extends z.ZodType>(row: T) => z.object({ rows: z.array(row), next: z.string().nullable() })

/** A size of a model, in tokens. */
export const modelSize = z.enum(['contextWindow', 'maxOutput'])
