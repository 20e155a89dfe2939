import type { Ctx } from '../ports.ts'
import { createKeyNotFoundError } from './key-not-found.ts'

/**
 * Revokes a key permanently. Every process rejects it within a second. Revoking it again changes nothing.
 * Errors: `not_found`, also for another account's key.
 */
export async function revokeKey({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'keys'>
  input: { id: string }
}): Promise<Record<string, never>> {
  const found = await ctx.keys.revoke(ctx.user.accountId, input.id, ctx.clock.now())
  if (!found) throw createKeyNotFoundError()
  return {}
}
