import type { Pool, PoolClient } from 'pg'
import type { DeliveryOutcome, DueDelivery, WebhookQueue } from '../services/webhooks/webhook-ports.ts'
import { dropDeliveries } from './console/webhooks.ts'
import type { Keyring } from './seal.ts'
import { inTransaction } from './transaction.ts'

/**
 * graphile-worker's names for a delivery, and for one to an endpoint that delays others. `enqueue_webhook` chooses between
 * them.
 */
export const WEBHOOK_JOB = 'webhook'
export const SLOW_WEBHOOK_JOB = 'webhook_slow'

/** A delivery this overdue has lost its job if the job is gone, was locked this long ago, or has no attempts left. */
const OVERDUE = "interval '1 minute'"
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

// An event can be committed after its endpoint was switched off and the deliveries in flight were dropped. Nothing else would
// end its delivery, or ever delete it.
const DROP = `
  update webhook_delivery d set state = 'dropped', next_at = null from webhook_endpoint e
  where d.id = $1 and d.state = 'pending' and e.id = d.endpoint_id and not e.enabled`

async function writeAttempt(client: PoolClient, { id, attempts }: DueDelivery, { attempt }: DeliveryOutcome): Promise<boolean> {
  // Two simultaneous tries are recorded as one.
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

/** Comes before the next try gets its job, so that the job already counts as slow. */
async function markSlow(client: PoolClient, { endpointId }: DueDelivery, { slowMs }: DeliveryOutcome): Promise<void> {
  if (slowMs === null) return
  await client.query("update webhook_endpoint set slow_until = clock_timestamp() + interval '1 millisecond' * $2 where id = $1", [
    endpointId,
    slowMs,
  ])
}

async function schedule(client: PoolClient, { id }: DueDelivery, { delivered, retryMs }: DeliveryOutcome): Promise<void> {
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

/** Why this try switches the endpoint off, if it does. */
async function disableIfFailing(
  client: PoolClient,
  due: DueDelivery,
  { attempt, delivered, gone }: DeliveryOutcome,
  failingMs: number,
) {
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

/** The deliveries that are due, as their jobs name them. `sealing` opens the secrets. */
export function createWebhookQueue(pool: Pool, sealing: Pick<Keyring, 'open'>): WebhookQueue {
  return {
    async findDue(deliveryId) {
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
    async moveToSlow(id) {
      await pool.query('select enqueue_webhook($1, clock_timestamp())', [id])
    },
    recordAttempt: (due, tried, failingMs) =>
      inTransaction(pool, async (client) => {
        // Locks the endpoint before the delivery, in the order used when an endpoint is removed or switched off and its
        // deliveries end.
        await client.query('select from webhook_endpoint where id = $1 for no key update', [due.endpointId])
        // It was removed or dropped during the try, so there is nothing left to record.
        if (!(await writeAttempt(client, due, tried))) return null
        await markSlow(client, due, tried)
        await schedule(client, due, tried)
        return disableIfFailing(client, due, tried, failingMs)
      }),
    async requeueLost() {
      const { rowCount } = await pool.query(
        `with lost as (
           select id from webhook_delivery d where state = 'pending' and next_at < clock_timestamp() - ${OVERDUE}
              and not exists (select 1 from graphile_worker.jobs j where j.key = d.id and
                               case when j.locked_at is null then j.attempts < j.max_attempts
                                    else j.locked_at > clock_timestamp() - ${OVERDUE} end)
           order by next_at limit ${REVIVE_ROWS} for update skip locked
         ), due as (
           update webhook_delivery d set next_at = clock_timestamp() from lost where d.id = lost.id returning d.id, d.next_at
         ) select enqueue_webhook(id, next_at) from due`,
      )
      return rowCount ?? 0
    },
    async sweep(before) {
      // Deliveries and tries are deleted with their events. An event with a delivery that is still to be retried stays.
      const { rowCount } = await pool.query(
        `delete from webhook_event v where v.created_at < $1
           and not exists (select 1 from webhook_delivery d where d.event_id = v.id and d.state = 'pending')`,
        [before],
      )
      return rowCount ?? 0
    },
  }
}
