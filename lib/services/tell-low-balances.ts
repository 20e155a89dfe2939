import type { Notices } from './notices-ports.ts'
import type { ConsolePorts } from './ports.ts'

/** Tells the holders of low balances, once for each time. Who cannot be told is told later. Answers how many were. */
export async function tellLowBalances({
  ctx,
}: {
  ctx: Pick<ConsolePorts, 'clock' | 'billingAccounts'> & { notices: Notices }
}): Promise<number> {
  let told = 0
  const at = ctx.clock.now()
  for (const { accountId, balanceNano, lowBalanceNano } of await ctx.billingAccounts.claimLow(at)) {
    const id = `low_${accountId}_${at.getTime()}`
    try {
      await ctx.notices.tell({ id, accountId, at, kind: 'balance.low', balanceNano, lowBalanceNano })
      told++
    } catch {
      await ctx.billingAccounts.untold(accountId)
    }
  }
  return told
}
