import type { Ctx } from '../ports.ts'
import { noKey } from './no-key.ts'

/**
 * Revokes a key for good; every process forgets it within a second. Revoking it again changes nothing.
 * Errors: `not_found`, for another account's key as well.
 */
export async function revokeKey({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'keys'>
  input: { id: string }
}): Promise<Record<string, never>> {
  const found = await ctx.keys.revoke(ctx.user.accountId, input.id, ctx.clock.now())
  if (!found) throw noKey()
  return {}
}
