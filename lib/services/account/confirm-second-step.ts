import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { stepOfCode } from '../sign-in/second-step.ts'
import { createTooManyAttemptsError } from '../sign-in/too-many-attempts.ts'
import { type SecondStepEmailNeeds, sendSecondStepEmail } from './send-second-step-email.ts'

/**
 * Activates the secret that startSecondStep() made, once a code proves that an app has it. Returns the recovery codes, which are
 * shown only this once, and emails that it is on. Errors: `wrong_code`, `conflict` if nothing was started, `rate_limit_exceeded`.
 */
export async function confirmSecondStep({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'limits' | 'secondSteps' | 'recoverySecrets' | SecondStepEmailNeeds>
  input: { code: string }
}): Promise<{ codes: string[] }> {
  const { userId } = ctx.user
  const waitMs = await ctx.limits.secondStepUser.take(userId)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  const pending = await ctx.secondSteps.find(userId)
  const createNotStartedError = () =>
    new ServiceError('conflict', 'Start again: this is already on, or was started in another window.')
  if (!pending || pending.confirmedAt !== null) throw createNotStartedError()
  const at = ctx.clock.now()
  const step = stepOfCode(pending.secret, input.code, at)
  if (step === null)
    throw new ServiceError('wrong_code', 'This is not the current code. Check the clock on your phone.', { field: 'code' })
  const { codes, hmacs } = ctx.recoverySecrets.create(userId)
  if (!(await ctx.secondSteps.confirm(userId, pending.startedAt, step, hmacs, at))) throw createNotStartedError()
  await ctx.limits.secondStepUser.reset(userId)
  sendSecondStepEmail(ctx, 'on')
  return { codes }
}
