import type { AlertInput } from '#lib/contracts/auto-top-up'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'

/**
 * Adds a rule: the holder is notified once in each UTC day or month in which spending reaches an amount. Errors: `invalid_input`
 * (keyId, amountNano), `conflict` if there are already twenty.
 */
export async function addAlert({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'ids' | 'spendingAlerts'>
  input: AlertInput
}): Promise<{ id: string }> {
  const id = ctx.ids.create('alr')
  const rule = { ...input, id, accountId: ctx.user.accountId, amountNano: BigInt(input.amountNano), at: ctx.clock.now() }
  switch (await ctx.spendingAlerts.add(rule)) {
    case 'no_key':
      throw invalidField('keyId', 'There is no such key. Choose another one.')
    case 'twice':
      throw invalidField('amountNano', 'This alert already exists. Choose another amount.')
    case 'full':
      throw new ServiceError('conflict', 'An account can have at most twenty alerts. Remove one first.')
    default:
      return { id }
  }
}
