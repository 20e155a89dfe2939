import type { RoleInput } from '#lib/contracts/operator-accounts'
import { composeSecondStepResetEmail } from '../mail/emails.ts'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import type { RoleOutcome, SecondStepReset } from './operator-account-ports.ts'
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

const RESET_ERRORS: Record<Exclude<SecondStepReset['outcome'], 'done'>, () => ServiceError> = {
  not_found: createPersonNotFoundError,
  not_owner: () => new ServiceError('not_allowed', 'Only an owner can reset two-step verification.'),
  own: () => new ServiceError('not_allowed', 'Turn off your own two-step verification in your settings.'),
  off: () => new ServiceError('conflict', 'Two-step verification is off.'),
}

/**
 * Turns off the two-step verification of somebody who has lost their device and their recovery codes. Their sessions end, and they
 * get an email about it. Errors: `not_found`; `not_allowed` unless by an owner, and for one's own; `conflict` if it is off.
 */
export async function resetSecondStep({
  ctx,
  input: { id },
}: {
  ctx: Ctx<'operatorAccounts' | 'clock' | 'mailer' | 'background' | 'signInSettings'>
  input: { id: string }
}): Promise<Record<string, never>> {
  const reset = await ctx.operatorAccounts.resetSecondStep(ctx.user, id, ctx.clock.now())
  if (reset.outcome !== 'done') throw RESET_ERRORS[reset.outcome]()
  ctx.background.defer('the mail after a reset of the second step', () =>
    ctx.mailer.send(composeSecondStepResetEmail(reset.person, ctx.signInSettings)),
  )
  return {}
}
