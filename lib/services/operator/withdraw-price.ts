import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'

/**
 * Withdraws a version of a price that has not begun, as if it had never been set: nothing was charged by it. Errors: `not_found`,
 * also if somebody else has withdrawn it; `conflict` if it is in force or about to be.
 */
export async function withdrawPrice({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogWrites'>
  input: { id: string }
}): Promise<{ id: string }> {
  const { outcome } = await ctx.catalogWrites.apply(ctx.user, [{ do: 'withdraw', target: 'price', id: input.id }])
  if (outcome === 'missing') throw new ServiceError('not_found', 'This price no longer exists.')
  if (outcome !== 'done') throw new ServiceError('conflict', 'This price is in effect, or is about to be. Set a new one instead.')
  return { id: input.id }
}
