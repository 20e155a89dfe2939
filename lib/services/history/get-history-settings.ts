import type { HistorySettings } from '#lib/contracts/history'
import type { Ctx } from '../ports.ts'

/** Whether the account keeps the content of requests, and for how many days. */
export const getHistorySettings = ({ ctx }: { ctx: Ctx<'histories'> }): Promise<HistorySettings> =>
  ctx.histories.settings(ctx.user.accountId)
