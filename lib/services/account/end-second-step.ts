import type { SessionCtx } from '../ports.ts'
import { type Proof, type ProofNeeds, proveAgain } from '../sign-in/prove-again.ts'

/** Switches two-step verification off and deletes its recovery codes. Errors: those of proveAgain(). */
export async function endSecondStep({
  ctx,
  input,
}: {
  ctx: SessionCtx<ProofNeeds>
  input: Proof
}): Promise<Record<string, never>> {
  await proveAgain(ctx, input)
  await ctx.secondSteps.remove(ctx.user.userId)
  return {}
}
