import type { Ctx } from '../ports.ts'
import { createWebhookNotFoundError } from './webhook-not-found.ts'

/** Removes an endpoint permanently, with the log of its deliveries. Errors: `not_found`. */
export async function removeWebhook({
  ctx,
  input,
}: {
  ctx: Ctx<'webhooks'>
  input: { id: string }
}): Promise<Record<string, never>> {
  if (!(await ctx.webhooks.remove(ctx.user.accountId, input.id))) throw createWebhookNotFoundError()
  return {}
}
