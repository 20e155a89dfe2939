/** The purses of a key's spending limits, if it has any: one for all time, and one for the month, in UTC, of the admission. */
export const keyPurses = (keyId: string, at: Date): { total: string; month: string } => ({
  total: `${keyId}:total`,
  month: `${keyId}:${at.getUTCFullYear()}-${String(at.getUTCMonth() + 1).padStart(2, '0')}`,
})
