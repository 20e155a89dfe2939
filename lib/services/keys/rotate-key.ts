import type { CreatedKey, Overlap } from '#lib/contracts/keys'
import { DAY_MS, HOUR_MS } from '../../domain/time-units.ts'
import { messageWith } from '../../messages/message.ts'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { getKey } from './get-key.ts'
import { createKeyNotFoundError } from './key-not-found.ts'

const OVERLAP_MS: Record<Overlap, number> = { now: 0, '1h': HOUR_MS, '24h': DAY_MS, '7d': 7 * DAY_MS }

/** How many previous secrets may be valid beside the new one. */
export const MAX_FORMER = 5

/**
 * Gives a key a new secret, which is only in this answer and cannot be read later. Previous secrets stay valid for at most as
 * long as `overlap` says, and are then invalid everywhere within a second. All of them are the same key: they share its limits,
 * its usage and its history.
 * Errors: `not_found`, `conflict` for a key that is revoked or expired, or if MAX_FORMER previous secrets are still valid.
 */
export async function rotateKey({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'keyChanges' | 'keySecrets' | 'usage'>
  input: { id: string; overlap: Overlap }
}): Promise<CreatedKey> {
  const at = ctx.clock.now()
  const { secret, hmac, hint } = ctx.keySecrets.create()
  const until = new Date(at.getTime() + OVERLAP_MS[input.overlap])
  const rotation = { secretHmac: hmac, hint, at, until, maxFormer: MAX_FORMER }
  const outcome = await ctx.keyChanges.rotate(ctx.user.accountId, input.id, rotation)
  if (outcome === 'not_found') throw createKeyNotFoundError()
  if (outcome === 'gone') {
    throw new ServiceError('conflict', 'This key is revoked or expired. Extend its expiry, or create a new key.')
  }
  if (outcome === 'too_many') {
    throw new ServiceError(
      'conflict',
      messageWith('{count} earlier secrets of this key are still valid. End them first, or let the old ones end immediately.', {
        count: MAX_FORMER,
      }),
    )
  }
  const { key } = await getKey({ ctx, input: { id: input.id } })
  return { key, secret }
}
