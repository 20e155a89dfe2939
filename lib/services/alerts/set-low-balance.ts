import type { Ctx } from '../ports.ts'

/** Sets the balance below which the account's holder is notified by mail; null for never. */
export async function setLowBalance({
  ctx,
  input,
}: {
  ctx: Ctx<'billingAccounts'>
  input: { amountNano: string | null }
}): Promise<Record<string, never>> {
  await ctx.billingAccounts.setLowBalance(ctx.user.accountId, input.amountNano === null ? null : BigInt(input.amountNano))
  return {}
}
