import type pg from 'pg'

/** Writes down how a breaker stands in a process, for operators to see, and forgets what processes said long ago. */
export async function tellHealth(pool: pg.Pool, deploymentId: string, processId: string, state: string): Promise<void> {
  await pool.query(
    `insert into deployment_health (deployment_id, process_id, state, at) values ($1, $2, $3, now())
     on conflict (deployment_id, process_id) do update set state = excluded.state, at = excluded.at`,
    [deploymentId, processId, state],
  )
  await pool.query(`delete from deployment_health where at < now() - interval '1 day'`)
}
