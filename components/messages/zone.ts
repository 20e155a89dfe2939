/** The cookie with the reader's time zone, for the server. */
export const ZONE_COOKIE = 'zone'

/** The time zone that the reader's browser names, or UTC if it is invalid. */
export function chooseZone(named: string | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: decodeURIComponent(named ?? 'UTC') }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}
