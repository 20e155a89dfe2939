import type { SessionCtx } from '../ports.ts'
import { type Proof, type ProofNeeds, reauthenticate } from '../sign-in/reauthenticate.ts'
import { type SecondStepEmailNeeds, sendSecondStepEmail } from './send-second-step-email.ts'

/** Switches two-step verification off and deletes its recovery codes, and emails that it is off. Errors: those of reauthenticate(). */
export async function endSecondStep({
  ctx,
  input,
}: {
  ctx: SessionCtx<ProofNeeds | SecondStepEmailNeeds>
  input: Proof
}): Promise<Record<string, never>> {
  await reauthenticate(ctx, input)
  if (await ctx.secondSteps.remove(ctx.user.userId)) sendSecondStepEmail(ctx, 'off')
  return {}
}
