import type { SessionCtx } from '../ports.ts'
import { type Proof, type ProofNeeds, reauthenticate } from '../sign-in/reauthenticate.ts'

/** Switches two-step verification off and deletes its recovery codes. Errors: those of reauthenticate(). */
export async function endSecondStep({
  ctx,
  input,
}: {
  ctx: SessionCtx<ProofNeeds>
  input: Proof
}): Promise<Record<string, never>> {
  await reauthenticate(ctx, input)
  await ctx.secondSteps.remove(ctx.user.userId)
  return {}
}
