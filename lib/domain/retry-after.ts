type Headers = Readonly<Record<string, unknown>>

/** All three forms begin with a day of the week (RFC 9110, 5.6.7); the oldest one does not say that it is in GMT. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /

function dateIn(header: unknown): number {
  const text = String(header ?? '').trim()
  if (!HTTP_DATE.test(text)) return Number.NaN
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
}

/**
 * How long an answer asks to be waited, in seconds, by its `Retry-After`: so many of them, or a date (RFC 9110, 10.2.3), which
 * is of the clock that its `Date` is of, where it says one. Never negative; null where it says nothing that can be read.
 */
export function retryAfterIn(headers: Headers, nowMs: number): number | null {
  const header = headers['retry-after']
  if (header === undefined || header === '') return null
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds : null
  const until = dateIn(header)
  if (Number.isNaN(until)) return null
  const theirs = dateIn(headers.date)
  return Math.max(0, (until - (Number.isNaN(theirs) ? nowMs : theirs)) / 1000)
}
