import type { GuestCtx, SignedIn } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { passSecondStep } from './second-step.ts'
import { tooManyTries } from './too-many-tries.ts'

export interface SignInInput {
  email: string
  password: string
  /** The code of the second step, if there is one. */
  code?: string | undefined
}

/** Longer ones cannot have been set (lib/contracts/session.ts); hashing them would only cost time. */
const MAX_EMAIL = 254
const MAX_PASSWORD = 200

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
}): Promise<SignedIn> {
  const email = input.email.trim().toLowerCase()
  // Counted before the lookup, so that concurrent attempts cannot all pass.
  const waitMs =
    (await ctx.limits.signInAddress.take(ctx.address)) ?? (await ctx.limits.signInEmail.take(email.slice(0, MAX_EMAIL)))
  if (waitMs !== null) throw tooManyTries(waitMs)

  // No address contains a NUL, and PostgreSQL does not accept one.
  const user = email.length > MAX_EMAIL || email.includes('\0') ? null : await ctx.users.byEmail(email)
  const stored = user?.passwordHash ?? ctx.passwords.decoy
  const matches = await ctx.passwords.verify(input.password.slice(0, MAX_PASSWORD), stored)
  if (!user?.passwordHash || !matches || input.password.length > MAX_PASSWORD) {
    throw new ServiceError('wrong_credentials', 'The email address or the password is wrong.')
  }
  await passSecondStep(ctx, user.userId, input.code ?? null)
  await ctx.limits.signInEmail.forget(email)
  const { passwordHash: _hash, emailVerified: _verified, ...signedIn } = user
  return signedIn
}
