/** The periods of the console. Days and months are UTC everywhere, so that everybody sees the same sums. */
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** The start of the hour that a time stands in. */
export const startOfHour = (time: Date): Date => new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS)

/** The start of the UTC day that a time stands in. */
export const startOfDay = (time: Date): Date => new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS)

/** The start of the UTC month that a time stands in. */
export const startOfMonth = (time: Date): Date => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), 1))

/** A time moved by whole days, which in UTC all have 24 hours. */
export const addDays = (time: Date, days: number): Date => new Date(time.getTime() + days * DAY_MS)

/** `YYYY-MM-DD` in UTC. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/** The start of the hour, UTC day or UTC month that a time stands in. */
export const startOf = (time: Date, unit: 'hour' | 'day' | 'month'): Date =>
  unit === 'hour' ? startOfHour(time) : unit === 'day' ? startOfDay(time) : startOfMonth(time)

/** The start of the one after it. */
export function startAfter(time: Date, unit: 'hour' | 'day' | 'month'): Date {
  const start = startOf(time, unit)
  if (unit === 'month') return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1))
  return new Date(start.getTime() + (unit === 'hour' ? HOUR_MS : DAY_MS))
}

/** A time itself where it is the start of a day or a month, else the next such start. */
export function nextFrom(time: Date, unit: 'day' | 'month'): Date {
  const start = startOf(time, unit)
  return start.getTime() === time.getTime() ? start : startAfter(time, unit)
}
