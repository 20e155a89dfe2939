import { MONEY_ERRORS } from '../operator/owners-only.ts'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'

export interface GrantCreditInput {
  /** Unique id of the entry, made by the caller, so that repeating the same grant is harmless. */
  id: string
  accountId: string
  /** Above zero. */
  amountNano: bigint
  reason: string
}

/** One billion currency units. A larger amount is assumed to be a mistake. */
const MAX_GRANT_NANO = 1_000_000_000_000_000_000n

/**
 * Grants credit to an account. Any debt is paid first; the rest is added to the balance. If the debt is paid in full, a
 * suspension due to it ends; other suspensions stay. `credited` is false if this grant was already given.
 * Errors: `not_allowed` unless owner or operator, and for an operator's own account or an owner's unless by an owner,
 * `not_found`, `invalid_input` (amountNano), `conflict` if the id belongs to another entry or the account is closed.
 */
export async function grantCredit({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'purses'>
  input: GrantCreditInput
}): Promise<{ credited: boolean; paidOwedNano: bigint }> {
  if (ctx.user.role !== 'owner' && ctx.user.role !== 'operator') {
    throw new ServiceError('not_allowed', 'Only an operator can grant credit.')
  }
  if (input.amountNano <= 0n || input.amountNano > MAX_GRANT_NANO) {
    throw invalidField('amountNano', 'The amount must be above zero and at most one billion.')
  }
  const result = await ctx.purses.credit({ ...input, kind: 'grant', actor: ctx.user.userId, at: ctx.clock.now() }, ctx.user)
  switch (result.outcome) {
    case 'no_account':
      throw new ServiceError('not_found', 'There is no such account.')
    case 'conflict':
      throw new ServiceError('conflict', 'This id belongs to another entry. Start the grant again.')
    case 'closed':
      throw new ServiceError('conflict', 'This account is permanently closed and cannot receive credit.')
    case 'own':
    case 'owners':
      throw MONEY_ERRORS[result.outcome]()
    case 'too_much':
      throw invalidField('amountNano', 'The balance would exceed its maximum. Grant less.')
    default:
      return { credited: result.outcome === 'credited', paidOwedNano: result.paidOwedNano }
  }
}
