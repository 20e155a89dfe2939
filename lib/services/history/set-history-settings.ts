import type { HistorySettings } from '#lib/contracts/history'
import type { Ctx } from '../ports.ts'

/**
 * Sets whether the account keeps the content of requests, and for how many days. Every process knows within a second, and content
 * older than that is deleted at once. Switching it off deletes nothing.
 */
export async function setHistorySettings({
  ctx,
  input,
}: {
  ctx: Ctx<'histories'>
  input: HistorySettings
}): Promise<HistorySettings> {
  await ctx.histories.setSettings(ctx.user.accountId, input)
  return ctx.histories.settings(ctx.user.accountId)
}
