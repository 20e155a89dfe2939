import type { Pool, PoolClient } from 'pg'
import type { DeliveryRecord, WebhookChanges, WebhookRecord, Webhooks } from '../../services/webhooks/webhook-ports.ts'
import type { PrismaClient, WebhookEndpoint } from '../generated/client.ts'
import { assertAccountOpen } from '../ledger/closed-account-guards.ts'
import type { Keyring } from '../seal.ts'
import { inTransaction } from '../transaction.ts'

const recordOf = (row: WebhookEndpoint): WebhookRecord => ({
  id: row.id,
  url: row.url,
  description: row.description,
  events: row.events,
  enabled: row.enabled,
  disabledReason: row.disabledReason as WebhookRecord['disabledReason'],
  failingSince: row.failingSince,
  oldSecretUntil: row.oldSecretUntil,
  createdAt: row.createdAt,
})

/** Ends the deliveries in progress to an endpoint that was switched off. Runs in the caller's transaction. */
export async function dropDeliveries(client: Pick<PoolClient, 'query'>, endpointId: string): Promise<void> {
  await client.query(
    "update webhook_delivery set state = 'dropped', next_at = null where endpoint_id = $1 and state = 'pending'",
    [endpointId],
  )
}

function enabledFields(enabled: boolean | undefined) {
  if (enabled === undefined) return {}
  return enabled ? { enabled, disabledReason: null, failingSince: null } : { enabled, disabledReason: 'holder' }
}

type DeliveryMethods = 'deliveries' | 'resend' | 'emit'

/** Webhook endpoints, whose secrets are sealed with `sealing`, and their deliveries. */
export const createWebhooks = (pool: Pool, prisma: PrismaClient, sealing: Pick<Keyring, 'seal'>): Webhooks => ({
  ...createEndpoints(pool, prisma, sealing),
  ...createDeliveries(pool, prisma),
})

function createEndpoints(pool: Pool, prisma: PrismaClient, sealing: Pick<Keyring, 'seal'>): Omit<Webhooks, DeliveryMethods> {
  const find = async (accountId: string, id: string): Promise<WebhookRecord | null> => {
    const row = await prisma.webhookEndpoint.findFirst({ where: { id, accountId } })
    return row && recordOf(row)
  }
  return {
    find,
    create: ({ accountId, secret, at, ...webhook }, maxEndpoints) =>
      inTransaction(pool, async (client) => {
        // Of two that would each be the last one allowed, only one is added.
        await client.query('select id from account where id = $1 for update', [accountId])
        await assertAccountOpen(client, accountId)
        const { rowCount } = await client.query(
          `insert into webhook_endpoint (id, account_id, url, description, events, secret_sealed, created_at)
           select $1, $2, $3, $4, $5, $6, $7 where (select count(*) from webhook_endpoint where account_id = $2) < $8`,
          [webhook.id, accountId, webhook.url, webhook.description, webhook.events, sealing.seal(secret), at, maxEndpoints],
        )
        return rowCount === 1
      }),
    async list(accountId) {
      const rows = await prisma.webhookEndpoint.findMany({ where: { accountId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] })
      return rows.map(recordOf)
    },
    async update(accountId, id, { enabled, ...changes }: WebhookChanges) {
      const { count } = await prisma.webhookEndpoint.updateMany({
        where: { id, accountId },
        data: { ...changes, ...enabledFields(enabled) },
      })
      if (count === 0) return null
      if (enabled === false) await dropDeliveries(pool, id)
      return find(accountId, id)
    },
    remove: async (accountId, id) => (await prisma.webhookEndpoint.deleteMany({ where: { id, accountId } })).count > 0,
    async rotate(accountId, id, secret, oldUntil) {
      const { rowCount } = await pool.query(
        `update webhook_endpoint set old_secret_sealed = secret_sealed, old_secret_until = $4, secret_sealed = $3
         where id = $1 and account_id = $2`,
        [id, accountId, sealing.seal(secret), oldUntil],
      )
      return rowCount === 0 ? null : find(accountId, id)
    },
  }
}

function createDeliveries(pool: Pool, prisma: PrismaClient): Pick<Webhooks, DeliveryMethods> {
  return {
    async deliveries(accountId, endpointId, before, rows) {
      const found = await prisma.webhookDelivery.findMany({
        where: {
          accountId,
          endpointId,
          ...(before && { OR: [{ createdAt: { lt: before.at } }, { createdAt: before.at, id: { lt: before.id } }] }),
        },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: rows,
        include: { event: { select: { type: true, body: true } }, tries: { orderBy: { number: 'asc' } } },
      })
      return found.map(({ event, tries, id, eventId, state, createdAt, nextAt }) => ({
        ...{ id, eventId, createdAt, nextAt, state: state as DeliveryRecord['state'] },
        ...event,
        attempts: tries.map(({ deliveryId: _, ...attempt }) => attempt),
      }))
    },
    async resend(accountId, deliveryId) {
      const { rows } = await pool.query<{ sent: string | null }>(
        `select case when e.enabled then add_webhook_delivery(d.event_id, d.endpoint_id, d.account_id) end as sent
         from webhook_delivery d join webhook_endpoint e on e.id = d.endpoint_id where d.id = $1 and d.account_id = $2`,
        [deliveryId, accountId],
      )
      return rows[0] === undefined ? null : rows[0].sent !== null
    },
    async emit({ accountId, type, source, data }, onlyEndpoint) {
      const { rows } = await pool.query<{ told: number }>('select emit_webhook($1, $2, $3, $4, $5) as told', [
        accountId,
        type,
        source,
        JSON.stringify(data),
        onlyEndpoint ?? null,
      ])
      return rows[0]?.told ?? 0
    },
  }
}
