import { ZONE_COOKIE } from './messages/zone.ts'

const YEAR_SECONDS = 31_536_000

/** Stores the reader's time zone in a cookie for the server, so that the next page has the right times. */
export function writeTimeZone(): void {
  const cookie = `${ZONE_COOKIE}=${encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone)}`
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  if (!document.cookie.split('; ').includes(cookie)) document.cookie = `${cookie}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`
}
