/** Time periods of the console. Days and months are UTC everywhere, so that everybody sees the same sums. */
import { DAY_MS, HOUR_MS } from '../domain/time-units.ts'

/** The start of the hour that contains a time. */
export const startOfHour = (time: Date): Date => new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS)

/** The start of the UTC day that contains a time. */
export const startOfDay = (time: Date): Date => new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS)

/** The start of the UTC month that contains a time. */
export const startOfMonth = (time: Date): Date => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), 1))

/** Moves a time by whole days. In UTC every day has 24 hours. */
export const addDays = (time: Date, days: number): Date => new Date(time.getTime() + days * DAY_MS)

/** `YYYY-MM-DD` in UTC. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/** The start of the hour, UTC day or UTC month that contains a time. */
export const startOf = (time: Date, unit: 'hour' | 'day' | 'month'): Date =>
  unit === 'hour' ? startOfHour(time) : unit === 'day' ? startOfDay(time) : startOfMonth(time)

/** The start of the next hour, UTC day or UTC month. */
export function startOfNext(time: Date, unit: 'hour' | 'day' | 'month'): Date {
  const start = startOf(time, unit)
  if (unit === 'month') return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1))
  return new Date(start.getTime() + (unit === 'hour' ? HOUR_MS : DAY_MS))
}

/** Returns the time itself if it is the start of a UTC day or month, else the next such start. */
export function startAtOrAfter(time: Date, unit: 'day' | 'month'): Date {
  const start = startOf(time, unit)
  return start.getTime() === time.getTime() ? start : startOfNext(time, unit)
}
