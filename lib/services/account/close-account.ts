import type { CloseInput } from '#lib/contracts/account'
import type { SessionCtx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import { checkPassword, type PasswordNeeds } from '../sign-in/check-password.ts'
import { createTooManyAttemptsError } from '../sign-in/too-many-attempts.ts'
import type { Obstacle } from './account-ports.ts'
import { eraseAccountContent } from './erase-closed-accounts.ts'

/** How long closing an account waits for its request content to be deleted. */
const ERASE_BUDGET_MS = 10_000

const REFUSALS: Record<Obstacle, () => ServiceError> = {
  busy: () => new ServiceError('conflict', 'Requests or videos are still in progress. Wait until they finish, then try again.'),
  paying: () => new ServiceError('conflict', 'A payment is in progress. Wait until it is credited or fails, then try again.'),
  owed: () => new ServiceError('conflict', 'This account owes money. Pay it off on the billing page first.'),
  balance: () => new ServiceError('conflict', 'The balance has changed. Check it and confirm again.', { field: 'forfeitNano' }),
}

/**
 * Closes the caller's account permanently: keys are revoked, sessions end, and the history and personal data are erased. Money
 * records stay, without a name. Owners and operators of the gateway cannot close their own.
 * Errors: `invalid_input` (email), those of checkPassword() (password), `conflict` while money is owed, held or being paid, or if
 * `forfeitNano` is not the balance, `not_allowed`, `rate_limit_exceeded`.
 */
export async function closeAccount({
  ctx,
  input,
}: {
  ctx: SessionCtx<PasswordNeeds | 'creditMarks' | 'closings' | 'media'>
  input: CloseInput
}): Promise<Record<string, never>> {
  const { accountId, userId, email, role } = ctx.user
  if (role !== 'holder') throw new ServiceError('not_allowed', 'Owners and operators cannot close their own accounts here.')
  const waitMs = await ctx.limits.closeAccount.take(accountId)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  if (input.email !== email) throw invalidField('email', 'This is not the address of this account.')
  await checkPassword(ctx, input.password, 'password')
  const forfeitNano = BigInt(input.forfeitNano ?? 0)
  const at = ctx.clock.now()
  const [creditMark, passwordHash] = [ctx.creditMarks.of(email), ctx.passwords.decoy]
  const closed = await ctx.closings.close({ accountId, userId, forfeitNano, creditMark, passwordHash, at })
  if (closed.outcome !== 'closed') throw REFUSALS[closed.outcome]()
  // This can take long, and the account is closed either way. Upkeep deletes what is left, also if this process dies.
  await eraseAccountContent(ctx, accountId, performance.now() + ERASE_BUDGET_MS).catch(() => undefined)
  return {}
}
