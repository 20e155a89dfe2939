import type { AlertEvent, AlertEventQuery, AlertList } from '#lib/contracts/operator-alerts'
import { idOf, pageOf } from '../page-of.ts'
import type { Ctx } from '../ports.ts'
import { webhookRow } from '../webhooks/webhook-row.ts'
import { ruleView } from './alert-rules.ts'

/** Lists the rules and the endpoints that are notified, and whether mail is sent. */
export async function listAlertRules({ ctx }: { ctx: Ctx<'alerts' | 'billing'> }): Promise<AlertList> {
  const [rules, hooks] = await Promise.all([ctx.alerts.rules(), ctx.alerts.webhooks()])
  const webhooks = hooks.map(webhookRow).map(({ events: _events, oldSecretUntil: _until, ...hook }) => hook)
  return { rules: rules.map(ruleView), webhooks, mail: ctx.billing.mail, currency: ctx.billing.currency }
}

/** Lists a page of what rules have found, newest first. */
export async function listAlertEvents({
  ctx,
  input: { before, limit },
}: {
  ctx: Ctx<'alerts'>
  input: AlertEventQuery
}): Promise<{ rows: AlertEvent[]; next: string | null }> {
  const found = await ctx.alerts.events(before ?? null, limit + 1)
  const view = (event: (typeof found)[number]) => ({
    ...event,
    firedAt: event.firedAt.toISOString(),
    endedAt: event.endedAt?.toISOString() ?? null,
  })
  return pageOf(found, limit, view, idOf)
}
