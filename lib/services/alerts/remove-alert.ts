import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'

/** Removes a rule. Errors: `not_found`. */
export async function removeAlert({
  ctx,
  input,
}: {
  ctx: Ctx<'spendingAlerts'>
  input: { id: string }
}): Promise<Record<string, never>> {
  if (!(await ctx.spendingAlerts.remove(ctx.user.accountId, input.id)))
    throw new ServiceError('not_found', 'There is no such alert.')
  return {}
}
