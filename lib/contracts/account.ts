import { z } from 'zod'
import { nano } from './common.ts'

/** GET /api/account/mails: which mails are wanted. */
export const mailWishes = z.strictObject({ lowBalance: z.boolean(), receipts: z.boolean(), alerts: z.boolean() })
export type MailWishes = z.infer<typeof mailWishes>
/** POST /api/account/mails: what is named is changed. */
export const mailWishesInput = mailWishes.partial()
export type MailWishesInput = z.infer<typeof mailWishesInput>

/** GET /api/account/closing: what closing the account would mean now. */
export const closing = z.object({
  email: z.string(),
  balanceNano: nano,
  owedNano: nano,
  /** What running requests and videos hold: they have to end first. */
  heldNano: nano,
  /** A payment is under way: it has to be credited first, or to fail. */
  paying: z.boolean(),
  keys: z.number().int().nonnegative(),
  /** False for who signs in through a provider only: no password is asked for then. */
  hasPassword: z.boolean(),
  /** There is no password, and the session is not of the last minutes: it has to be a new one. */
  signInAgain: z.boolean(),
})
export type Closing = z.infer<typeof closing>

/** POST /api/account/close. `password` of who has one; `forfeitNano` is the balance that was shown and given up: another one is asked about again. */
export const closeInput = z.strictObject({
  email: z.string().trim().toLowerCase().min(1).max(254),
  password: z.string().min(1).max(200).optional(),
  forfeitNano: nano.nullable().default(null),
})
export type CloseInput = z.infer<typeof closeInput>
