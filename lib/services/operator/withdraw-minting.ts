import type { WithdrawResult } from '#lib/contracts/operator-accounts'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'

/**
 * Invalidates all codes that were minted together with a code and that nobody has redeemed. Errors: `not_found`; `conflict` if
 * none of them is left.
 */
export async function withdrawMinting({
  ctx,
  input: { id },
}: {
  ctx: Ctx<'codes' | 'clock'>
  input: { id: string }
}): Promise<WithdrawResult> {
  const count = await ctx.codes.withdrawMinting(id, ctx.clock.now(), ctx.user)
  if (count === null) throw new ServiceError('not_found', 'There is no such code.')
  if (count === 0) throw new ServiceError('conflict', 'All of these codes were already redeemed or withdrawn.')
  return { count }
}
