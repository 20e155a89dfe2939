import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { createOwnersOnlyError } from './owners-only.ts'

/**
 * Revokes a key of an account permanently. Every process rejects it within a second. Errors: `not_found`; `not_allowed` for an
 * owner's key unless by an owner.
 */
export async function revokeAccountKey({
  ctx,
  input: { id, keyId },
}: {
  ctx: Ctx<'keys' | 'clock' | 'operatorAccounts'>
  input: { id: string; keyId: string }
}): Promise<Record<string, never>> {
  const now = ctx.clock.now()
  const people = ctx.user.role === 'owner' ? [] : await ctx.operatorAccounts.people(id, now)
  if (people.some(({ role }) => role === 'owner')) throw createOwnersOnlyError()
  const found = await ctx.keys.revoke(id, keyId, now, ctx.user)
  if (!found) throw new ServiceError('not_found', 'This account has no such key.')
  return {}
}
