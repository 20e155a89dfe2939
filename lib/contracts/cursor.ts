/**
 * Places in lists that are read page by page: the `before` of a query, which was the `next` of the page before. Contracts read
 * them, so that in every list a wrong one is a 400 that names the field: taken as it is, it would be a place at one end. What
 * writes a place stands beside what reads it.
 */
import { z } from 'zod'

const FROM_NEWEST = 'This position in the list is invalid. Start again from the newest entries.'
/** Of lists that do not begin with the newest. */
export const FROM_BEGINNING = 'This position in the list is invalid. Start again from the beginning.'

/** A digit of an id that `newId` of lib/domain/ids.ts made. The first of them is the top of a time, of which 0 to 7 are used. */
const DIGIT = '[0-9a-hjkmnp-tv-z]'
/** An id with a time in it that can be read; `least` digits of its 26 where it may be a beginning of one. */
export const idForm = (prefix: string, least = 26): RegExp => new RegExp(`^${prefix}_[0-7]${DIGIT}{${least - 1},25}$`)

/** In a list by ids that sort by time, newest first: the id of a row. */
export const beforeId = (prefix: string) => z.string().regex(idForm(prefix), FROM_NEWEST).optional()

/** In a list by name: a name, whether or not there still is a row of it. */
export const beforeName = z.string().min(1, FROM_BEGINNING).max(200, FROM_BEGINNING).optional()

/** A row of a list by time, newest first. Its id tells it from others of the same millisecond. */
export interface TimedId {
  at: Date
  id: string
}
// No database counts a year 0.
const TIMED_ID = /^((?!0000)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)~([\w:.-]{1,120})$/

/** `2026-11-20T09:00:00.000Z~ent_…` */
export const timedIdText = ({ at, id }: TimedId): string => `${at.toISOString()}~${id}`

function readTimedId(text: string): TimedId | null {
  const [, time = '', id = ''] = TIMED_ID.exec(text) ?? []
  const at = new Date(time)
  // A 30th of February is read as a day of March.
  return !Number.isNaN(at.getTime()) && at.toISOString() === time ? { at, id } : null
}

/** In a list by time, newest first: a row. */
export const beforeTimedId = z
  .string()
  .transform((text, context) => {
    const read = readTimedId(text)
    if (read === null) context.addIssue(FROM_NEWEST)
    return read ?? z.NEVER
  })
  .optional()
