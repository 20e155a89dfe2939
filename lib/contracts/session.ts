import { z } from 'zod'
import { singleLine } from './common.ts'
import { platformNotice } from './settings.ts'

/** POST /api/sign-up. Passwords have 10 to 200 characters; there are no other rules. */
export const signUpInput = z.strictObject({
  name: singleLine(80),
  email: z.string().trim().toLowerCase().pipe(z.email().max(254)),
  password: z.string().min(10).max(200),
})
export type SignUpInput = z.infer<typeof signUpInput>

export const role = z.enum(['owner', 'operator', 'support', 'holder'])
export type Role = z.infer<typeof role>

/** Names the account that the calling page was made for. Without it nothing is compared. */
export const ACCOUNT_HEADER = 'x-console-account'

/** GET /api/me: who is signed in, and what the console needs to know about this gateway. */
export const me = z.object({
  name: z.string(),
  email: z.string(),
  /** Whether the address has been verified. */
  emailVerified: z.boolean(),
  /** Whether mail is sent, or only written to the log. */
  mail: z.boolean(),
  role,
  accountId: z.string(),
  suspended: z.boolean(),
  /** The reason that an operator gave; `debt` if the account owes money. */
  suspendedReason: z.string().nullable(),
  /** The address that API clients use, for example `http://localhost:3000/v1`. */
  baseUrl: z.string(),
  /** True while no real vendor is connected, so that answers come from the sandbox. */
  sandboxOnly: z.boolean(),
  /** Whether the API is closed and account holders can change nothing. */
  maintenance: z.boolean(),
  /** The operator's notice to everybody. */
  notice: platformNotice.nullable(),
})
export type Me = z.infer<typeof me>
