type HeaderRecord = Readonly<Record<string, unknown>>

/** All three date formats begin with a day of the week (RFC 9110, 5.6.7). The oldest one does not say that it is in GMT. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /

function parseHttpDate(header: unknown): number {
  const text = String(header ?? '').trim()
  if (!HTTP_DATE.test(text)) return Number.NaN
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
}

/**
 * How many seconds an answer asks to wait, from its `Retry-After`: a number of seconds, or a date (RFC 9110, 10.2.3), which is
 * compared with the answer's own `Date` if it has one. Never negative. Null if the header cannot be read.
 */
export function parseRetryAfter(headers: HeaderRecord, nowMs: number): number | null {
  const header = headers['retry-after']
  if (header === undefined || header === '') return null
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds : null
  const until = parseHttpDate(header)
  if (Number.isNaN(until)) return null
  const theirs = parseHttpDate(headers.date)
  return Math.max(0, (until - (Number.isNaN(theirs) ? nowMs : theirs)) / 1000)
}
