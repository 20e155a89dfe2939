import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'

/** Invalidates a code that nobody has redeemed. Errors: `not_found`; `conflict` if it was already redeemed or withdrawn. */
export async function withdrawCode({
  ctx,
  input: { id },
}: {
  ctx: Ctx<'codes' | 'clock'>
  input: { id: string }
}): Promise<Record<string, never>> {
  const outcome = await ctx.codes.withdraw(id, ctx.clock.now(), ctx.user)
  if (outcome === 'not_found') throw new ServiceError('not_found', 'There is no such code.')
  if (outcome === 'taken') throw new ServiceError('conflict', 'This code was already redeemed or withdrawn.')
  return {}
}
