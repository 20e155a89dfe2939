import type { Ctx } from './ports.ts'
import { ServiceError } from './service-error.ts'
import { tooManyTries } from './too-many-tries.ts'

/**
 * Asks somebody who is signed in for their password, where they have one: a session that was left open must not be enough.
 * Errors: `wrong_password` (the field given), `rate_limit_exceeded`.
 */
export async function checkPassword(
  ctx: Ctx<'limits' | 'passwords' | 'userCredentials'>,
  password: string | undefined,
  field: string,
): Promise<void> {
  const { passwordHash } = await ctx.userCredentials.find(ctx.user.userId)
  if (passwordHash === null) return
  if (password === undefined) throw new ServiceError('wrong_password', 'Give your password.', { field })
  const waitMs = await ctx.limits.passwordUser.take(ctx.user.userId)
  if (waitMs !== null) throw tooManyTries(waitMs)
  if (!(await ctx.passwords.verify(password, passwordHash)))
    throw new ServiceError('wrong_password', 'This is not your password.', { field })
  await ctx.limits.passwordUser.forget(ctx.user.userId)
}
