import type { AlertRow } from '#lib/contracts/auto-top-up'
import type { Ctx } from '../ports.ts'

/** Lists the account's spending alert rules, with what was spent in each rule's current period. */
export async function listAlerts({ ctx }: { ctx: Ctx<'clock' | 'spendingAlerts'> }): Promise<{ rows: AlertRow[] }> {
  const rules = await ctx.spendingAlerts.list(ctx.user.accountId, ctx.clock.now())
  return {
    rows: rules.map(({ amountNano, spentNano, ...rule }) => ({
      ...rule,
      amountNano: amountNano.toString(),
      spentNano: spentNano.toString(),
    })),
  }
}
