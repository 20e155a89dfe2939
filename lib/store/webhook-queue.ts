import type { Pool, PoolClient } from 'pg'
import type { DueDelivery, Tried, WebhookQueue } from '../services/webhooks/webhook-ports.ts'
import { dropDeliveries } from './console/webhooks.ts'
import type { Keyring } from './seal.ts'
import { inTransaction } from './transaction.ts'

/** What graphile-worker calls a delivery, and one to an endpoint that keeps others waiting; `enqueue_webhook` chooses. */
export const WEBHOOK_JOB = 'webhook'
export const SLOW_WEBHOOK_JOB = 'webhook_slow'

/** A delivery that is so late, and whose job is gone, was taken so long ago or is not tried any more, has lost it. */
const LOST = "interval '1 minute'"
const REVIVE_ROWS = 500

interface DueRow {
  id: string
  event_id: string
  endpoint_id: string
  account_id: string
  attempts: number
  body: string
  url: string
  secret_sealed: Buffer
  old_secret_sealed: Buffer | null
  slow: boolean
}

const DUE = `
  select d.id, d.event_id, d.endpoint_id, d.account_id, d.attempts, v.body, e.url, e.secret_sealed,
         case when e.old_secret_until > clock_timestamp() then e.old_secret_sealed end as old_secret_sealed,
         coalesce(e.slow_until > clock_timestamp(), false) as slow
  from webhook_delivery d join webhook_event v on v.id = d.event_id join webhook_endpoint e on e.id = d.endpoint_id
  where d.id = $1 and d.state = 'pending' and e.enabled`

// An event can be committed after its endpoint was switched off, and what was on its way dropped: nothing else would end its
// delivery, nor ever forget it.
const DROP = `
  update webhook_delivery d set state = 'dropped', next_at = null from webhook_endpoint e
  where d.id = $1 and d.state = 'pending' and e.id = d.endpoint_id and not e.enabled`

async function writeAttempt(client: PoolClient, { id, attempts }: DueDelivery, { attempt }: Tried): Promise<boolean> {
  // Two that try at once write one try down.
  const { rowCount } = await client.query(
    "update webhook_delivery set attempts = attempts + 1 where id = $1 and attempts = $2 and state = 'pending'",
    [id, attempts],
  )
  if (rowCount === 0) return false
  await client.query(
    'insert into webhook_attempt (delivery_id, number, at, took_ms, status, error, answer) values ($1, $2, $3, $4, $5, $6, $7)',
    [id, attempt.number, attempt.at, attempt.tookMs, attempt.status, attempt.error, attempt.answer],
  )
  return true
}

/** Before the next try is given a job, so that it is among the slow ones already. */
async function markSlow(client: PoolClient, { endpointId }: DueDelivery, { slowMs }: Tried): Promise<void> {
  if (slowMs === null) return
  await client.query("update webhook_endpoint set slow_until = clock_timestamp() + interval '1 millisecond' * $2 where id = $1", [
    endpointId,
    slowMs,
  ])
}

async function schedule(client: PoolClient, { id }: DueDelivery, { delivered, retryMs }: Tried): Promise<void> {
  if (delivered || retryMs === null) {
    const state = delivered ? 'delivered' : 'failed'
    await client.query('update webhook_delivery set state = $2, next_at = null where id = $1', [id, state])
    return
  }
  await client.query(
    `with next as (update webhook_delivery set next_at = clock_timestamp() + interval '1 millisecond' * $2 where id = $1
                   returning id, next_at)
     select enqueue_webhook(id, next_at) from next`,
    [id, retryMs],
  )
}

/** Why the endpoint is switched off by a try, where it is. */
async function judge(client: PoolClient, due: DueDelivery, { attempt, delivered, gone }: Tried, failingMs: number) {
  if (delivered) {
    await client.query('update webhook_endpoint set failing_since = null where id = $1 and failing_since is not null', [
      due.endpointId,
    ])
    return null
  }
  const { rows } = await client.query<{ reason: 'failing' | 'gone' }>(
    `with judged as (
       update webhook_endpoint set failing_since = coalesce(failing_since, $2) where id = $1 and enabled
       returning id, failing_since
     ), off as (
       select id, case when $3::boolean then 'gone' else 'failing' end as reason from judged
       where $3::boolean or failing_since <= $2::timestamptz - interval '1 millisecond' * $4
     ) select reason from off`,
    [due.endpointId, attempt.at, gone, failingMs],
  )
  const reason = rows[0]?.reason ?? null
  if (reason !== null) {
    await client.query('update webhook_endpoint set enabled = false, disabled_reason = $2 where id = $1', [
      due.endpointId,
      reason,
    ])
    await dropDeliveries(client, due.endpointId)
  }
  return reason
}

/** Deliveries whose turn it is, as their jobs name them. `sealing` opens the secrets. */
export function createWebhookQueue(pool: Pool, sealing: Pick<Keyring, 'open'>): WebhookQueue {
  return {
    async due(deliveryId) {
      const { rows } = await pool.query<DueRow>(DUE, [deliveryId])
      const row = rows[0]
      if (!row) {
        await pool.query(DROP, [deliveryId])
        return null
      }
      return {
        id: row.id,
        eventId: row.event_id,
        endpointId: row.endpoint_id,
        accountId: row.account_id,
        attempts: row.attempts,
        body: row.body,
        url: row.url,
        slow: row.slow,
        secrets: [row.secret_sealed, row.old_secret_sealed].filter((one) => one !== null).map((one) => sealing.open(one)),
      }
    },
    async setAside(id) {
      await pool.query('select enqueue_webhook($1, clock_timestamp())', [id])
    },
    tried: (due, tried, failingMs) =>
      inTransaction(pool, async (client) => {
        // Before the delivery: whoever removes an endpoint, or switches it off, ends what is on its way to it in this order too.
        await client.query('select from webhook_endpoint where id = $1 for no key update', [due.endpointId])
        // Removed or dropped while it was under way: nothing is left to be said of it.
        if (!(await writeAttempt(client, due, tried))) return null
        await markSlow(client, due, tried)
        await schedule(client, due, tried)
        return judge(client, due, tried, failingMs)
      }),
    async revive() {
      const { rowCount } = await pool.query(
        `with lost as (
           select id from webhook_delivery d where state = 'pending' and next_at < clock_timestamp() - ${LOST}
              and not exists (select 1 from graphile_worker.jobs j where j.key = d.id and
                               case when j.locked_at is null then j.attempts < j.max_attempts
                                    else j.locked_at > clock_timestamp() - ${LOST} end)
           order by next_at limit ${REVIVE_ROWS} for update skip locked
         ), due as (
           update webhook_delivery d set next_at = clock_timestamp() from lost where d.id = lost.id returning d.id, d.next_at
         ) select enqueue_webhook(id, next_at) from due`,
      )
      return rowCount ?? 0
    },
    async sweep(before) {
      // Deliveries and tries go with their events; one that is still to be tried again stays.
      const { rowCount } = await pool.query(
        `delete from webhook_event v where v.created_at < $1
           and not exists (select 1 from webhook_delivery d where d.event_id = v.id and d.state = 'pending')`,
        [before],
      )
      return rowCount ?? 0
    },
  }
}
