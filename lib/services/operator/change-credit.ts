import type { MoneyInput, MoneyResult } from '#lib/contracts/operator-accounts'
import { formatMoney } from '../../domain/format-money.ts'
import { messageWith } from '../../messages/message.ts'
import { grantCredit } from '../billing/grant-credit.ts'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import { createAccountNotFoundError } from './get-account.ts'
import { MONEY_ERRORS } from './owners-only.ts'

/** One entry for each press of the button, however often its request is sent. */
const entryOf = ({ id, token, amountNano, reason }: MoneyInput) => ({
  id: `ent_op_${token}`,
  accountId: id,
  amountNano: BigInt(amountNano),
  reason,
})

async function bookedView(ctx: Ctx<'purses'>, accountId: string, repeated: boolean): Promise<MoneyResult> {
  const { balanceNano, owedNano } = await ctx.purses.sums(accountId)
  return { repeated, balanceNano: balanceNano.toString(), owedNano: owedNano.toString() }
}

/** Grants credit to an account. Errors: those of grantCredit(). */
export async function grantToAccount({ ctx, input }: { ctx: Ctx<'purses' | 'clock'>; input: MoneyInput }): Promise<MoneyResult> {
  const { credited } = await grantCredit({ ctx, input: entryOf(input) })
  return bookedView(ctx, input.id, !credited)
}

/**
 * Deducts credit from an account: the whole amount, from what is free, and never into debt.
 * Errors: `not_found`; `not_allowed` for one's own account and for an owner's, unless by an owner; `conflict` if the token
 * belongs to another entry; `invalid_input` (amountNano) if less is free, with the free amount in the message.
 */
export async function deductFromAccount({
  ctx,
  input,
}: {
  ctx: Ctx<'purses' | 'clock'>
  input: MoneyInput
}): Promise<MoneyResult> {
  const result = await ctx.purses.deduct({ ...entryOf(input), actor: ctx.user.userId, at: ctx.clock.now() }, ctx.user)
  if (result.outcome === 'no_account') throw createAccountNotFoundError()
  if (result.outcome === 'own' || result.outcome === 'owners') throw MONEY_ERRORS[result.outcome]()
  if (result.outcome === 'not_free') {
    const free = formatMoney(result.freeNano, 'exact').text
    throw invalidField(
      'amountNano',
      messageWith('Only {free} is available. The rest was spent, or is held for requests in progress. Deduct less.', { free }),
    )
  }
  if (result.outcome !== 'deducted' && result.outcome !== 'repeated')
    throw new ServiceError('conflict', 'This belongs to another entry. Start again.')
  return bookedView(ctx, input.id, result.outcome === 'repeated')
}
