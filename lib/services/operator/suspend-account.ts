import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { createAccountNotFoundError } from './get-account.ts'
import type { ResumeOutcome, SuspendOutcome } from './operator-account-ports.ts'
import { createOwnersOnlyError } from './owners-only.ts'

const createClosedError = () => new ServiceError('conflict', 'This account is permanently closed.')

const SUSPEND_ERRORS: Record<Exclude<SuspendOutcome, 'done'>, () => ServiceError> = {
  not_found: createAccountNotFoundError,
  closed: createClosedError,
  already: () => new ServiceError('conflict', 'This account is already suspended.'),
  own: () => new ServiceError('not_allowed', 'You cannot suspend your own account.'),
  owners: createOwnersOnlyError,
}

const RESUME_ERRORS: Record<Exclude<ResumeOutcome, 'done'>, () => ServiceError> = {
  not_found: createAccountNotFoundError,
  closed: createClosedError,
  already: () => new ServiceError('conflict', 'This account is not suspended.'),
  own: () =>
    new ServiceError('not_allowed', 'You cannot lift the suspension of your own account. Ask another owner or operator.'),
  owners: createOwnersOnlyError,
  owes: () =>
    new ServiceError(
      'conflict',
      'This account owes money and stays suspended until the debt is paid. Grant credit if necessary.',
    ),
}

/**
 * Suspends an account: calls with its keys are refused in every process within a second, and its users see the reason in the
 * console. Requests in flight finish normally. Errors: `not_found`; `conflict` if it is already suspended or closed;
 * `not_allowed` for one's own account, and for an owner's unless by an owner.
 */
export async function suspendAccount({
  ctx,
  input: { id, reason },
}: {
  ctx: Ctx<'operatorAccounts' | 'clock'>
  input: { id: string; reason: string }
}): Promise<Record<string, never>> {
  const outcome = await ctx.operatorAccounts.suspend(ctx.user, id, reason, ctx.clock.now())
  if (outcome !== 'done') throw SUSPEND_ERRORS[outcome]()
  return {}
}

/**
 * Lifts an account's suspension. Errors: `not_found`; `conflict` if it is not suspended, is closed, or owes money; `not_allowed`
 * for one's own account, and for an owner's unless by an owner.
 */
export async function resumeAccount({
  ctx,
  input: { id },
}: {
  ctx: Ctx<'operatorAccounts'>
  input: { id: string }
}): Promise<Record<string, never>> {
  const outcome = await ctx.operatorAccounts.resume(ctx.user, id)
  if (outcome !== 'done') throw RESUME_ERRORS[outcome]()
  return {}
}
