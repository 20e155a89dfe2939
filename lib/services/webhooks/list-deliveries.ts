import { formatTimedId } from '#lib/contracts/cursor'
import type { DeliveryQuery, DeliveryRow } from '#lib/contracts/webhooks'
import { pageOf } from '../page-of.ts'
import type { Ctx } from '../ports.ts'
import { createWebhookNotFoundError } from './webhook-not-found.ts'
import { deliveryRow } from './webhook-row.ts'

/** Lists the deliveries to an endpoint, newest first, with every attempt. Errors: `not_found`. */
export async function listDeliveries({
  ctx,
  input,
}: {
  ctx: Ctx<'webhooks'>
  input: DeliveryQuery
}): Promise<{ rows: DeliveryRow[]; next: string | null }> {
  const { accountId } = ctx.user
  if (!(await ctx.webhooks.find(accountId, input.id))) throw createWebhookNotFoundError()
  const found = await ctx.webhooks.deliveries(accountId, input.id, input.before ?? null, input.limit + 1)
  return pageOf(found, input.limit, deliveryRow, ({ createdAt: at, id }) => formatTimedId({ at, id }))
}
