import type { SetBreakerInput, SetBreakerResult } from '#lib/contracts/traffic'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'

/**
 * Holds a deployment so that it is not called, releases it, or closes its breakers. Every process applies it within a second.
 * Errors: `not_found`.
 */
export async function setBreaker({
  ctx,
  input: { id, mode },
}: {
  ctx: Ctx<'breakerSwitch' | 'ids'>
  input: SetBreakerInput
}): Promise<SetBreakerResult> {
  const found = await ctx.breakerSwitch.set(ctx.user, ctx.ids.create('aud'), id, mode)
  if (!found) throw new ServiceError('not_found', 'There is no such deployment, or it is archived.')
  return { id, held: mode === 'held' }
}
