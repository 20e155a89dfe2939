import type { KeyRow } from '#lib/contracts/keys'
import type { Ctx } from '../ports.ts'
import { getKey } from './get-key.ts'
import { createKeyNotFoundError } from './key-not-found.ts'

/**
 * Ends a key's secrets from before its rotations. They are invalid everywhere within a second.
 * Errors: `not_found`, also for another account's key.
 */
export async function endOverlap({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'keyChanges' | 'usage'>
  input: { id: string }
}): Promise<{ key: KeyRow }> {
  const found = await ctx.keyChanges.endOverlap(ctx.user.accountId, input.id)
  if (!found) throw createKeyNotFoundError()
  return getKey({ ctx, input })
}
