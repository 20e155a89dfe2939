/**
 * Places in lists that are read page by page: the `before` of a query, which was the `next` of the previous page. The
 * contracts parse them, so that an invalid one is a 400 that names the field in every list; taken as it is, it would be a
 * place at one end of the list. The code that writes a place stands next to the code that reads it.
 */
import { z } from 'zod'

const INVALID_CURSOR_NEWEST = 'This position in the list is invalid. Start again from the newest entries.'
/** For lists that do not begin with the newest. */
export const INVALID_CURSOR = 'This position in the list is invalid. Start again from the beginning.'

/** A digit of an id that `newId` of lib/domain/ids.ts made. The first digit is the top of a time, so only 0 to 7 occur. */
const DIGIT = '[0-9a-hjkmnp-tv-z]'
/** Matches an id whose time can be read. `minLength` is the minimum number of its 26 digits, if only the beginning may be given. */
export const idPattern = (prefix: string, minLength = 26): RegExp => new RegExp(`^${prefix}_[0-7]${DIGIT}{${minLength - 1},25}$`)

/** In a list sorted by ids that contain a time, newest first: the id of a row. */
export const beforeId = (prefix: string) => z.string().regex(idPattern(prefix), INVALID_CURSOR_NEWEST).optional()

/** In a list sorted by name: a name, whether or not its row still exists. */
export const beforeName = z.string().min(1, INVALID_CURSOR).max(200, INVALID_CURSOR).optional()

/** A row of a list sorted by time, newest first. Its id distinguishes it from others of the same millisecond. */
export interface TimedId {
  at: Date
  id: string
}
// No database has a year 0.
const TIMED_ID = /^((?!0000)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)~([\w:.-]{1,120})$/

/** `2026-11-20T09:00:00.000Z~ent_…` */
export const formatTimedId = ({ at, id }: TimedId): string => `${at.toISOString()}~${id}`

function parseTimedId(text: string): TimedId | null {
  const [, time = '', id = ''] = TIMED_ID.exec(text) ?? []
  const at = new Date(time)
  // February 30 would be read as a day in March.
  return !Number.isNaN(at.getTime()) && at.toISOString() === time ? { at, id } : null
}

/** In a list sorted by time, newest first: a row. */
export const beforeTimedId = z
  .string()
  .transform((text, context) => {
    const read = parseTimedId(text)
    if (read === null) context.addIssue(INVALID_CURSOR_NEWEST)
    return read ?? z.NEVER
  })
  .optional()
