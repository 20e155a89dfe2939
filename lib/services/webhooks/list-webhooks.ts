import type { WebhookRow } from '#lib/contracts/webhooks'
import type { Ctx } from '../ports.ts'
import { webhookRow } from './webhook-row.ts'

/** Lists the account's endpoints, oldest first. */
export async function listWebhooks({ ctx }: { ctx: Ctx<'webhooks'> }): Promise<{ rows: WebhookRow[] }> {
  return { rows: (await ctx.webhooks.list(ctx.user.accountId)).map(webhookRow) }
}
