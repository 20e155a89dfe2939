import type { RoleInput } from '#lib/contracts/operator-accounts'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import type { RoleOutcome } from './operator-account-ports.ts'
import { createOwnersOnlyError } from './owners-only.ts'

const createPersonNotFoundError = () => new ServiceError('not_found', 'There is no such person.')

const ROLE_ERRORS: Record<Exclude<RoleOutcome, 'done'>, () => ServiceError> = {
  not_found: createPersonNotFoundError,
  not_owner: () => new ServiceError('not_allowed', 'Only an owner can assign roles.'),
  own: () => new ServiceError('not_allowed', 'You cannot change your own role. Ask another owner.'),
  unproved: () =>
    new ServiceError(
      'conflict',
      'This email address is not confirmed yet, so it could belong to anybody. Have it confirmed first.',
    ),
  stale: () => new ServiceError('conflict', 'Somebody else has changed this role. Reload the page.'),
}

/**
 * Gives a user another role and ends their sessions, so that they sign in again with it.
 * Errors: `not_found`; `not_allowed` unless by an owner, and for one's own role; `conflict` for an unconfirmed address, or if the
 * role is no longer the one that the caller saw.
 */
export async function changeRole({
  ctx,
  input: { id, from, to },
}: {
  ctx: Ctx<'operatorAccounts' | 'clock'>
  input: RoleInput
}): Promise<Record<string, never>> {
  const outcome = await ctx.operatorAccounts.setRole(ctx.user, { personId: id, from, to }, ctx.clock.now())
  if (outcome !== 'done') throw ROLE_ERRORS[outcome]()
  return {}
}

/**
 * Signs a user out everywhere: their sessions and playground keys end. Errors: `not_found`; `not_allowed` for an owner unless by
 * an owner.
 */
export async function signOutPerson({
  ctx,
  input: { id },
}: {
  ctx: Ctx<'operatorAccounts' | 'clock'>
  input: { id: string }
}): Promise<{ ended: number }> {
  const ended = await ctx.operatorAccounts.signOut(ctx.user, id, ctx.clock.now())
  if (ended === null) throw createPersonNotFoundError()
  if (ended === 'owners') throw createOwnersOnlyError()
  return { ended }
}
