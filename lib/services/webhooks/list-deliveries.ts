import type { DeliveryQuery, DeliveryRow } from '#lib/contracts/webhooks'
import type { Ctx } from '../ports.ts'
import { invalidField } from '../service-error.ts'
import { noWebhook } from './no-webhook.ts'
import type { DeliveryKey, DeliveryRecord } from './webhook-ports.ts'
import { deliveryRow } from './webhook-row.ts'

const KEY = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)~(\w{1,64})$/

const keyText = ({ createdAt, id }: DeliveryRecord): string => `${createdAt.toISOString()}~${id}`

function readKey(text: string): DeliveryKey {
  const [, at = '', id = ''] = KEY.exec(text) ?? []
  const time = new Date(at)
  if (id === '' || Number.isNaN(time.getTime()))
    throw invalidField('before', 'This is not a place in the list. Start again from the newest ones.')
  return { at: time, id }
}

/** What was sent to an endpoint, newest first, with every try. Errors: `not_found`, `invalid_input` (before). */
export async function listDeliveries({
  ctx,
  input,
}: {
  ctx: Ctx<'webhooks'>
  input: DeliveryQuery
}): Promise<{ rows: DeliveryRow[]; next: string | null }> {
  const { accountId } = ctx.user
  const before = input.before === undefined ? null : readKey(input.before)
  if (!(await ctx.webhooks.find(accountId, input.id))) throw noWebhook()
  const found = await ctx.webhooks.deliveries(accountId, input.id, before, input.limit + 1)
  const shown = found.slice(0, input.limit)
  const last = shown.at(-1)
  return { rows: shown.map(deliveryRow), next: found.length > input.limit && last ? keyText(last) : null }
}
