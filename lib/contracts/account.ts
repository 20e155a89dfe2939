import { z } from 'zod'
import { count, nano } from './common.ts'

/** GET /api/account/mails: which emails the account wants. */
export const emailPreferences = z.strictObject({ lowBalance: z.boolean(), receipts: z.boolean(), alerts: z.boolean() })
export type EmailPreferences = z.infer<typeof emailPreferences>
/** POST /api/account/mails: only what is named changes. */
export const emailPreferencesInput = emailPreferences.partial()
export type EmailPreferencesInput = z.infer<typeof emailPreferencesInput>

/** GET /api/account/closing: what closing the account would mean now. */
export const closing = z.object({
  email: z.string(),
  balanceNano: nano,
  owedNano: nano,
  /** What running requests and videos hold. They have to end first. */
  heldNano: nano,
  /** How many of these are videos, which their owner can cancel. */
  heldTasks: count,
  /** Whether a payment is in progress. It has to be credited, or to fail, first. */
  paying: z.boolean(),
  keys: z.number().int().nonnegative(),
  /** False for people who sign in only through a provider: no password is asked for then. */
  hasPassword: z.boolean(),
  /** Whether a new session is needed: there is no password, and the session did not begin within the last 15 minutes. */
  signInAgain: z.boolean(),
})
export type Closing = z.infer<typeof closing>

/**
 * POST /api/account/close. `password` is required if there is one. `forfeitNano` is the balance that was shown and given up;
 * if it differs by now, the holder is asked again.
 */
export const closeInput = z.strictObject({
  email: z.string().trim().toLowerCase().min(1).max(254),
  password: z.string().min(1).max(200).optional(),
  forfeitNano: nano.nullable().default(null),
})
export type CloseInput = z.infer<typeof closeInput>
