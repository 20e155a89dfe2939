import type { SessionCtx } from '../ports.ts'
import { type Proof, type ProofNeeds, reauthenticate } from '../sign-in/reauthenticate.ts'
import { type SecondStepEmailNeeds, sendSecondStepEmail } from './send-second-step-email.ts'

/**
 * Makes new recovery codes, shown only this once. The previous ones become invalid, and an email says so.
 * Errors: those of reauthenticate().
 */
export async function renewRecoveryCodes({
  ctx,
  input,
}: {
  ctx: SessionCtx<ProofNeeds | SecondStepEmailNeeds>
  input: Proof
}): Promise<{ codes: string[] }> {
  await reauthenticate(ctx, input)
  const { codes, hmacs } = ctx.recoverySecrets.create(ctx.user.userId)
  await ctx.secondSteps.replaceRecovery(ctx.user.userId, hmacs)
  sendSecondStepEmail(ctx, 'codes')
  return { codes }
}
