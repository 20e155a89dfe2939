import type { SessionCtx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { checkPassword, type PasswordNeeds } from '../sign-in/check-password.ts'
import { newTotpSecret, totpUri } from '../sign-in/second-step.ts'

const createAlreadyOnError = () => new ServiceError('conflict', 'Two-step verification is already on.')

/**
 * Makes the secret of an authenticator app. Sign-in does not ask for codes until the first one was confirmed.
 * Errors: those of checkPassword(); `not_allowed` while the address is not confirmed, because someone using another person's
 * address could lock its owner out permanently; `conflict` if a second step is in use.
 */
export async function startSecondStep({
  ctx,
  input,
}: {
  ctx: SessionCtx<PasswordNeeds | 'secondSteps'>
  input: { password?: string | undefined }
}): Promise<{ secret: string; uri: string }> {
  const { emailVerified } = await ctx.userCredentials.find(ctx.user.userId)
  if (!emailVerified) throw new ServiceError('not_allowed', 'Confirm your email address first.')
  await checkPassword(ctx, input.password, 'password')
  const secret = newTotpSecret()
  if (!(await ctx.secondSteps.start(ctx.user.userId, secret, ctx.clock.now()))) throw createAlreadyOnError()
  return { secret, uri: totpUri(secret, ctx.user.email) }
}
