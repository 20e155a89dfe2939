import type { PlaygroundKey, PlaygroundKeyInput } from '#lib/contracts/playground'
import { HOUR_MS } from '../../domain/time-units.ts'
import type { SessionCtx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import { createTooManyAttemptsError } from '../sign-in/too-many-attempts.ts'

const LIFETIME_MS = 2 * HOUR_MS
/** The name of these keys in history and usage. They have no name of their own. */
const KEY_NAME = 'Playground'

/**
 * Creates a key with which the console calls the gateway for the signed-in user: the same holds, limits, records and charges as
 * with any other key, on the account's own balance. It expires after two hours, and ends when any session of its user ends: by
 * signing out, from the list of sessions, or with a new password.
 * Errors: `invalid_input` (groupId), `signed_out`, `rate_limit_exceeded`.
 */
export async function createPlaygroundKey({
  ctx,
  input,
}: {
  ctx: SessionCtx<'clock' | 'ids' | 'catalog' | 'limits' | 'keySecrets' | 'playgroundKeys'>
  input: PlaygroundKeyInput
}): Promise<PlaygroundKey> {
  const { accountId, userId, sessionEpoch, sessionId } = ctx.user
  const waitMs = await ctx.limits.playgroundAccount.take(accountId)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  const groups = await ctx.catalog.groups(accountId)
  const group = groups.find(({ id }) => id === input.groupId)
  if (!group) throw invalidField('groupId', 'This model group does not exist. Choose another one.')

  const createdAt = ctx.clock.now()
  const expiresAt = new Date(createdAt.getTime() + LIFETIME_MS)
  const { secret, hmac, hint } = ctx.keySecrets.create()
  const key = {
    id: ctx.ids.create('key'),
    accountId,
    groupId: group.id,
    userId,
    sessionEpoch,
    name: KEY_NAME,
    hint,
    secretHmac: hmac,
    createdAt,
    expiresAt,
  }
  if (!(await ctx.playgroundKeys.create(key, sessionId)))
    throw new ServiceError('signed_out', 'This session has ended. Sign in again.')
  return { secret, expiresAt: expiresAt.toISOString() }
}
