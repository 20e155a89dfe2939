import type { GuestCtx, SignedInUser } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { checkSecondStep } from './second-step.ts'
import { createTooManyAttemptsError } from './too-many-attempts.ts'

export interface SignInInput {
  email: string
  password: string
  /** The code of the second step, if there is one. */
  code?: string | undefined
}

/** Longer ones cannot have been set (lib/contracts/session.ts); hashing them would only cost time. */
const MAX_EMAIL_LENGTH = 254
const MAX_PASSWORD_LENGTH = 200

/**
 * Checks an email address, a password and, if there is a second step, its code. One password is hashed whether or not the address
 * has an account, so neither the answer nor its time reveals which addresses have one.
 * Errors: `wrong_credentials`; `second_step` and `wrong_code` if the password was right; `rate_limit_exceeded` (by client address
 * and by email address).
 */
export async function signIn({
  ctx,
  input,
}: {
  ctx: GuestCtx<'clock' | 'limits' | 'users' | 'passwords' | 'secondSteps' | 'recoverySecrets'>
  input: SignInInput
}): Promise<SignedInUser> {
  const email = input.email.trim().toLowerCase()
  // Counted before the lookup, so that concurrent attempts cannot all pass.
  const waitMs =
    (await ctx.limits.signInAddress.take(ctx.address)) ?? (await ctx.limits.signInEmail.take(email.slice(0, MAX_EMAIL_LENGTH)))
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)

  // No address contains a NUL, and PostgreSQL does not accept one.
  const user = email.length > MAX_EMAIL_LENGTH || email.includes('\0') ? null : await ctx.users.byEmail(email)
  const stored = user?.passwordHash ?? ctx.passwords.decoy
  const matches = await ctx.passwords.verify(input.password.slice(0, MAX_PASSWORD_LENGTH), stored)
  if (!user?.passwordHash || !matches || input.password.length > MAX_PASSWORD_LENGTH) {
    throw new ServiceError('wrong_credentials', 'The email address or the password is wrong.')
  }
  await checkSecondStep(ctx, user.userId, input.code ?? null)
  await ctx.limits.signInEmail.reset(email)
  const { passwordHash: _hash, emailVerified: _verified, ...signedIn } = user
  return signedIn
}
