import type { GuestCtx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { checkSecondStep } from './second-step.ts'
import type { SignedInUser } from './sign-in-ports.ts'
import { createTooManyAttemptsError } from './too-many-attempts.ts'

type Needs = 'clock' | 'limits' | 'oneTimeTokens' | 'tokenSecrets' | 'secondSteps' | 'recoverySecrets'

/**
 * Completes the second step of a sign-in through a provider: takes the token of the sign-in, and a code. A wrong code does not
 * spend the token.
 * Errors: `wrong_credentials` if the sign-in is too long ago or already finished, `wrong_code`, `rate_limit_exceeded`.
 */
export async function finishSignIn({
  ctx,
  input,
}: {
  ctx: GuestCtx<Needs>
  input: { token: string; code: string }
}): Promise<SignedInUser> {
  const waitMs = await ctx.limits.signInAddress.take(ctx.address)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  const hash = ctx.tokenSecrets.hash(input.token)
  const user = await ctx.oneTimeTokens.find(hash, 'second_step', ctx.clock.now())
  const createExpiredError = () => new ServiceError('wrong_credentials', 'This took too long. Sign in again.')
  if (!user) throw createExpiredError()
  await checkSecondStep(ctx, user.userId, input.code)
  if (!(await ctx.oneTimeTokens.spend(hash, 'second_step', ctx.clock.now()))) throw createExpiredError()
  return user
}
