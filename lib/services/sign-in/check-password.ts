import type { SessionCtx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { signedInRecently } from './signed-in-recently.ts'
import { createTooManyAttemptsError } from './too-many-attempts.ts'

export type PasswordNeeds = 'clock' | 'limits' | 'passwords' | 'userCredentials' | 'userSessions'

/**
 * Asks a signed-in user for their password. A user without one must have signed in recently (signedInRecently()). A session that
 * was left open or stolen must not be enough.
 * Errors: `wrong_password` (the given field), `conflict` if there is no password and the session is not recent,
 * `rate_limit_exceeded`.
 */
export async function checkPassword(ctx: SessionCtx<PasswordNeeds>, password: string | undefined, field: string): Promise<void> {
  const { passwordHash } = await ctx.userCredentials.find(ctx.user.userId)
  if (passwordHash === null) {
    if (await signedInRecently(ctx)) return
    throw new ServiceError('conflict', 'To confirm that it is you, sign out and sign in again, then retry.')
  }
  if (password === undefined) throw new ServiceError('wrong_password', 'Enter your password.', { field })
  const waitMs = await ctx.limits.passwordUser.take(ctx.user.userId)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  if (!(await ctx.passwords.verify(password, passwordHash)))
    throw new ServiceError('wrong_password', 'This password is incorrect.', { field })
  await ctx.limits.passwordUser.reset(ctx.user.userId)
}
