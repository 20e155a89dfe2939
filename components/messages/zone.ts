/** The cookie that tells the server the reader's time zone. */
export const ZONE_COOKIE = 'zone'

/** A time zone as the reader's browser names it; UTC where it is none. */
export function chooseZone(named: string | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: decodeURIComponent(named ?? 'UTC') }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}
