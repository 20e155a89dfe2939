import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { stepOfCode } from '../sign-in/second-step.ts'
import { tooManyTries } from '../sign-in/too-many-tries.ts'

/**
 * Activates the secret that startSecondStep() made, once a code proves that an app has it. Returns the recovery codes, which are
 * shown only this once. Errors: `wrong_code`, `conflict` if nothing was started, `rate_limit_exceeded`.
 */
export async function confirmSecondStep({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'limits' | 'secondSteps' | 'recoverySecrets'>
  input: { code: string }
}): Promise<{ codes: string[] }> {
  const { userId } = ctx.user
  const waitMs = await ctx.limits.secondStepUser.take(userId)
  if (waitMs !== null) throw tooManyTries(waitMs)
  const started = await ctx.secondSteps.find(userId)
  const notStarted = () => new ServiceError('conflict', 'Start again: this is already on, or was started in another window.')
  if (!started || started.confirmedAt !== null) throw notStarted()
  const at = ctx.clock.now()
  const step = stepOfCode(started.secret, input.code, at)
  if (step === null)
    throw new ServiceError('wrong_code', 'This is not the current code. Check the clock on your phone.', { field: 'code' })
  const { codes, hmacs } = ctx.recoverySecrets.create(userId)
  if (!(await ctx.secondSteps.confirm(userId, started.startedAt, step, hmacs, at))) throw notStarted()
  await ctx.limits.secondStepUser.forget(userId)
  return { codes }
}
