import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { TaskState } from '../../domain/task.ts'
import type { RunningTaskRecord, RunningTasks } from '../../services/history/task-ports.ts'
import { CANCEL_JOB } from '../task-store.ts'

interface Row extends Omit<RunningTaskRecord, 'heldNano'> {
  heldNano: string
  total: string
}

const LIST = `
  select t.id, t.created_at as at, t.model_id as "modelId", coalesce(k.name, '') as "keyName", t.state, t.seconds,
         coalesce((select sum(l.amount) from lease l where l.task_id = t.id and l.purse_id = t.account_id), 0) as "heldNano",
         count(*) over () as total
    from task t left join api_key k on k.id = t.key_id and k.account_id = t.account_id
   where t.account_id = $1 and t.finished_at is null
   order by t.created_at desc, t.id desc limit $2`

// Ending a task is the work of a gateway, which has its vendor, its history and its traffic. This process may have none, so it
// leaves a job. The job's key makes one of several clicks.
const ASK = `
  with t as (select id, account_id, state, finished_at from task where id = $1 and account_id = $2)
  select t.state, case when t.finished_at is null then
           (graphile_worker.add_job('${CANCEL_JOB}', json_build_object('id', t.id, 'accountId', t.account_id),
                                    job_key := 'cancel ' || t.id, max_attempts := 20)).id end as job
    from t`

const POLL_INTERVAL_MS = 100

/** The tasks in progress, as the account's holder sees them. */
export function createRunningTasks(pool: Pool): RunningTasks {
  async function stateOf(accountId: string, id: string): Promise<TaskState | null> {
    const { rows } = await pool.query<{ state: TaskState }>('select state from task where id = $1 and account_id = $2', [
      id,
      accountId,
    ])
    return rows[0]?.state ?? null
  }
  return {
    async list(accountId, limit) {
      const { rows } = await pool.query<Row>(LIST, [accountId, limit])
      const records = rows.map(({ total: _total, heldNano, ...row }) => ({ ...row, heldNano: BigInt(heldNano) }))
      return { records, total: Number(rows[0]?.total ?? 0) }
    },
    async cancel(accountId, id, waitMs) {
      const { rows } = await pool.query<{ state: TaskState }>(ASK, [id, accountId])
      let state = rows[0]?.state ?? null
      for (const end = performance.now() + waitMs; performance.now() < end; ) {
        if (state !== 'pending' && state !== 'processing') break
        await sleep(POLL_INTERVAL_MS)
        state = await stateOf(accountId, id)
      }
      return state
    },
  }
}
