import type pg from 'pg'
import type { AttemptFailure } from '../domain/settlement.ts'

const DELETE_STALE = `delete from deployment_health where at < now() - interval '1 day' and coalesce(full_until <= now(), true)`

/** The state of a breaker, and the last failure that it was told of. */
export interface BreakerHealth {
  deployment: string
  state: string
  failure: AttemptFailure | null
}

/** Records for operators that a process found a deployment at its limit for the minute. `endsInMs` is when that ends. */
export async function recordFull(pool: pg.Pool, processId: string, deployment: string, endsInMs: number): Promise<void> {
  await pool.query(
    `insert into deployment_health (deployment_id, process_id, state, full_until)
     values ($1, $2, 'closed', now() + $3 * interval '1 millisecond')
     on conflict (deployment_id, process_id) do update set full_until = excluded.full_until`,
    [deployment, processId, endsInMs],
  )
  await pool.query(DELETE_STALE)
}

/** Records the state of a breaker in a process for operators, and forgets what processes reported long ago. */
export async function recordHealth(
  pool: pg.Pool,
  processId: string,
  { deployment, state, failure }: BreakerHealth,
): Promise<void> {
  await pool.query(
    `insert into deployment_health as h (deployment_id, process_id, state, at, since, failure, failure_status)
     values ($1, $2, $3, now(), now(), $4, $5)
     on conflict (deployment_id, process_id) do update set
       since = case when (h.state = 'closed') = (excluded.state = 'closed') then h.since else excluded.at end,
       state = excluded.state, at = excluded.at, failure = excluded.failure, failure_status = excluded.failure_status`,
    [deployment, processId, state, failure?.result ?? null, failure?.status ?? null],
  )
  await pool.query(DELETE_STALE)
}
