/** The purses that a key's spending limits have, if it has limits: one for ever, one for each month in UTC, by admission. */
export const keyPurses = (keyId: string, at: Date): { total: string; month: string } => ({
  total: `${keyId}:total`,
  month: `${keyId}:${at.getUTCFullYear()}-${String(at.getUTCMonth() + 1).padStart(2, '0')}`,
})
