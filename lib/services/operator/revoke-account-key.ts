import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'

/** Revokes a key of an account for good; every process forgets it within a second. Errors: `not_found`. */
export async function revokeAccountKey({
  ctx,
  input: { id, keyId },
}: {
  ctx: Ctx<'keys' | 'clock'>
  input: { id: string; keyId: string }
}): Promise<Record<string, never>> {
  const found = await ctx.keys.revoke(id, keyId, ctx.clock.now(), ctx.user)
  if (!found) throw new ServiceError('not_found', 'This account has no such key.')
  return {}
}
