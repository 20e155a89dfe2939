import type pg from 'pg'
import type { Attempt, SettlementResult } from '../domain/settlement.ts'
import type { BookedAnswer, BookedHold, BookingResult, NewTask, Task, TaskEnd, TaskJson, TaskNext } from '../domain/task.ts'
import type { SettlementRow } from '../ledger/ports.ts'
import { encodeSettlements, postSettlements } from './ledger/settle.ts'
import { pinRow, type TaskRow, taskOf } from './task-rows.ts'

/** The name of a task's job in graphile-worker. */
export const TASK_JOB = 'task'
/** The name of the job that cancels a task for the console, which has no gateway. */
export const CANCEL_JOB = 'cancel-task'

/** Times are the database's, because the clocks of several machines differ. A place that was missed does not count. */
const TASK_COLUMNS = `t.*, COALESCE(t.slot_at > clock_timestamp() - interval '3 seconds', false) AS in_place,
  milliseconds_since(t.failing_since) AS failing_ms, milliseconds_since(t.created_at) AS age_ms, ARRAY(SELECT l.purse_id FROM lease l WHERE l.task_id = t.id ORDER BY 1) AS purses,
  (SELECT u.charged_nano FROM usage_record u WHERE u.id = t.request_id AND u.at = t.created_at) AS charged_nano`

/** Replaces a task's job if it has one. The attempts are for when the database is away; other retries are the task's own. */
const ADD_JOB = `graphile_worker.add_job('${TASK_JOB}', json_build_object('id', u.id), run_at := u.due_at, job_key := u.id, max_attempts := 20)`

/** This many milliseconds from now. */
const MS_FROM_NOW = `clock_timestamp() + interval '1 millisecond' *`

/** A task's purses stay locked during its transaction, so the transaction of a paused process ends soon. */
const BEGIN = `BEGIN; SET LOCAL synchronous_commit = on; SET LOCAL idle_in_transaction_session_timeout = '5s'`

/** Tasks, what they hold, and their jobs. They change together or not at all. */
export class PgTaskStore {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /**
   * Stores a task with its hold, its job, and the answer for a repeat, in one transaction. A repeat of a task that exists
   * changes nothing. A repeat whose first try is still being committed, on a connection that broke, waits for that commit.
   */
  async book(task: NewTask, hold: BookedHold, answer: BookedAnswer | null): Promise<BookingResult> {
    return await this.#inTransaction(async (client, abandon) => {
      if (!(await insertTask(client, task))) return 'booked'
      const purses = [task.accountId, ...hold.budgets]
      const leases = [hold.leaseId, ...hold.budgetLeases]
      const held = await client.query<{ lacking: string | null }>('SELECT hold_for_task($1, $2, $3, $4) AS lacking', [
        task.id,
        purses,
        leases,
        String(task.holdNano),
      ])
      if (held.rows[0]?.lacking != null) return abandon('lost_hold')
      if (answer && !(await saveAnswer(client, task, answer))) return abandon('lost_claim')
      await client.query(`SELECT ${ADD_JOB} FROM task u WHERE u.id = $1`, [task.id])
      return 'booked'
    })
  }

  /** What the unfinished tasks of a key hold of its account's money, in nano-dollars. */
  async heldBy(accountId: string, keyId: string): Promise<bigint> {
    const { rows } = await this.#pool.query<{ sum: string }>(
      `SELECT COALESCE(sum(l.amount), 0) AS sum FROM lease l JOIN task t ON t.id = l.task_id
        WHERE l.purse_id = $1 AND t.key_id = $2`,
      [accountId, keyId],
    )
    return BigInt(rows[0]?.sum ?? 0)
  }

  /** What all unfinished tasks of an account hold, in nano-dollars, and how many there are. */
  async held(accountId: string): Promise<{ nano: bigint; requests: number }> {
    const { rows } = await this.#pool.query<{ sum: string; count: string }>(
      'SELECT COALESCE(sum(amount), 0) AS sum, count(*) AS count FROM lease WHERE purse_id = $1 AND task_id IS NOT NULL',
      [accountId],
    )
    return { nano: BigInt(rows[0]?.sum ?? 0), requests: Number(rows[0]?.count ?? 0) }
  }

  /** A task of an account, unless it has expired. */
  async find(accountId: string, id: string): Promise<Task | null> {
    const { rows } = await this.#pool.query<TaskRow>(
      `SELECT ${TASK_COLUMNS} FROM task t WHERE t.id = $1 AND t.account_id = $2 AND t.expires_at > clock_timestamp()`,
      [id, accountId],
    )
    return rows[0] ? taskOf(rows[0]) : null
  }

  /** Which of these are no longer in progress. */
  async finishedOf(ids: readonly string[]): Promise<string[]> {
    const { rows } = await this.#pool.query<{ id: string }>(
      `SELECT i.id FROM unnest($1::text[]) AS i (id) LEFT JOIN task t ON t.id = i.id WHERE t.id IS NULL OR t.finished_at IS NOT NULL`,
      [ids],
    )
    return rows.map(({ id }) => id)
  }

  /**
   * Takes the next turn of a task for a process. Returns null if there is nothing to do, or if a living process is working on
   * it. The process that had the turn before can no longer write anything.
   */
  async claim(id: string, owner: string): Promise<Task | null> {
    const { rows } = await this.#pool.query<TaskRow>(
      `UPDATE task t SET owner = $2, turn = turn + 1, due_at = clock_timestamp()
        WHERE t.id = $1 AND (t.finished_at IS NULL OR t.stop_vendor)
          AND (t.owner IS NULL OR t.owner = $2 OR NOT EXISTS (SELECT 1 FROM process p WHERE p.id = t.owner))
       RETURNING ${TASK_COLUMNS}`,
      [id, owner],
    )
    return rows[0] ? taskOf(rows[0]) : null
  }

  /** Records that a vendor is about to be called. Returns false if the turn is lost; then no vendor may be called. */
  async submitting(task: Task, deploymentId: string, trace: readonly Attempt[]): Promise<boolean> {
    return await this.#write(
      `UPDATE task SET submits = CASE WHEN submitting = $3 THEN submits + 1 ELSE 1 END, submitting = $3, trace = $4 WHERE id = $1 AND turn = $2 AND finished_at IS NULL`,
      [task.id, task.turn, deploymentId, JSON.stringify(trace)],
    )
  }

  /** Records that the vendor has begun. Returns false if the turn is lost; then the vendor has begun in vain. */
  async submitted(task: Task, deploymentId: string, operation: TaskJson, next: TaskNext): Promise<boolean> {
    return await this.#write(
      `WITH u AS (UPDATE task SET state = 'processing', submitting = NULL, deployment_id = $3, operation = $4,
                         submitted_at = clock_timestamp(), owner = NULL, due_at = ${MS_FROM_NOW} $5, slot_at = NULL,
                         failing_since = NULL, failures = 0, trace = $6
                   WHERE id = $1 AND turn = $2 AND finished_at IS NULL RETURNING id, due_at)
       SELECT ${ADD_JOB} FROM u`,
      [task.id, task.turn, deploymentId, JSON.stringify(operation), next.inMs, JSON.stringify(next.trace)],
    )
  }

  /** Gives up the turn and says when the next one is due. */
  async later(task: Task, next: TaskNext): Promise<boolean> {
    return await this.#write(
      `WITH u AS (UPDATE task SET owner = NULL, submitting = NULL, due_at = ${MS_FROM_NOW} $3, slot_at = CASE WHEN $4::boolean THEN ${MS_FROM_NOW} $3 END,
                         failing_since = CASE WHEN $5::boolean IS NULL THEN failing_since
                                              WHEN $5::boolean THEN COALESCE(failing_since, clock_timestamp()) END,
                         failures = CASE WHEN $5::boolean IS NULL THEN failures WHEN $5::boolean THEN failures + 1 ELSE 0 END, trace = $6
                   WHERE id = $1 AND turn = $2 AND (finished_at IS NULL OR stop_vendor) RETURNING id, due_at)
       SELECT ${ADD_JOB} FROM u`,
      [task.id, task.turn, next.inMs, next.place, next.failing, JSON.stringify(next.trace)],
    )
  }

  /** Takes the next place among the polls of all processes, which are limited per second. Returns the milliseconds until then. */
  async takePlace(perSecond: number): Promise<number> {
    const { rows } = await this.#pool.query<{ wait_ms: number }>('SELECT take_poll($1) AS wait_ms', [perSecond])
    const [row] = rows
    if (!row) throw new Error('the pace of polls has no row')
    return Math.max(0, row.wait_ms)
  }

  /**
   * Ends a task: its usage record and charge, what it held, and its state, in one transaction. Returns null if it has already
   * ended, or if `turn` is given and is no longer the current turn. The row says whether there is a vendor to stop, because one
   * may have begun since the task was read.
   */
  async finish(task: Task, turn: number | null, end: TaskEnd, row: SettlementRow): Promise<SettlementResult | null> {
    return await this.#inTransaction(async (client, abandon) => {
      const locked = await client.query(
        'SELECT 1 FROM task WHERE id = $1 AND finished_at IS NULL AND ($2::integer IS NULL OR turn = $2) FOR UPDATE',
        [task.id, turn],
      )
      if (locked.rowCount === 0) return abandon(null)
      const [settled] = await postSettlements(client, encodeSettlements([row]), false, [row])
      if (!settled) throw new Error(`the task ${task.id} has no account`)
      await client.query('SELECT release_task($1)', [task.id])
      await client.query(
        `WITH u AS (UPDATE task SET state = $2, url = $3, error = $4, stop_vendor = $5 AND operation IS NOT NULL, trace = $6, seconds = $7, finished_at = clock_timestamp(),
                           due_at = clock_timestamp(), owner = NULL, slot_at = NULL, submitting = NULL, ask = NULL, asked = NULL,
                           failing_since = NULL, failures = 0
                     WHERE id = $1 RETURNING id, due_at, stop_vendor)
         SELECT ${ADD_JOB} FROM u WHERE u.stop_vendor`,
        [task.id, end.state, end.url, end.error, end.stopVendor, JSON.stringify(row.item.trace), end.seconds],
      )
      return settled
    })
  }

  /** Records that the vendor of a task that ended has been told, or never will be. */
  async stopped(task: Task): Promise<boolean> {
    return await this.#write('UPDATE task SET stop_vendor = false, owner = NULL WHERE id = $1 AND turn = $2', [
      task.id,
      task.turn,
    ])
  }

  /**
   * Gives a new job to tasks that lost theirs: their process died, their turn ended without a result (`running` are those that
   * this process is working on), or they are long overdue. graphile-worker itself would free their jobs after four hours.
   */
  async revive(owner: string, running: readonly string[], overdueMs: number): Promise<number> {
    const { rowCount } = await this.#pool.query(
      `WITH stuck AS (
         SELECT id FROM task t
          WHERE (t.finished_at IS NULL OR t.stop_vendor)
            AND CASE WHEN t.owner IS NULL THEN t.due_at < clock_timestamp() - make_interval(secs => $3)
                     WHEN t.owner = $1 THEN t.id <> ALL ($2) AND t.due_at < clock_timestamp() - make_interval(secs => $3)
                     ELSE NOT EXISTS (SELECT 1 FROM process p WHERE p.id = t.owner) END
          ORDER BY t.due_at LIMIT 500 FOR UPDATE SKIP LOCKED
       ), u AS (
         UPDATE task t SET owner = NULL, due_at = clock_timestamp() FROM stuck WHERE t.id = stuck.id RETURNING t.id, t.due_at
       ) SELECT ${ADD_JOB} FROM u`,
      [owner, running, overdueMs / 1000],
    )
    return rowCount ?? 0
  }

  async #write(text: string, values: unknown[]): Promise<boolean> {
    return (await this.#pool.query(text, values)).rowCount === 1
  }

  async #inTransaction<T>(run: (client: pg.PoolClient, abandon: (answer: T) => T) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    let broken: Error | undefined
    let shouldCommit = true
    try {
      await client.query(BEGIN)
      const answer = await run(client, (nothing) => {
        shouldCommit = false
        return nothing
      })
      await client.query(shouldCommit ? 'COMMIT' : 'ROLLBACK')
      return answer
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure
      })
      throw error
    } finally {
      client.release(broken)
    }
  }
}

/**
 * Returns false if the task already exists. Two tries at once may conflict in either unique key; both keys belong to the task.
 */
async function insertTask(client: pg.PoolClient, task: NewTask): Promise<boolean> {
  const inserted = await client.query(
    `INSERT INTO task (id, request_id, account_id, key_id, group_id, model_id, endpoint, seconds, ask, asked, pin, hold_nano,
                       keep_history, own_ms, due_at, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, clock_timestamp(), $15, $16)
     ON CONFLICT DO NOTHING`,
    [
      task.id,
      task.requestId,
      task.accountId,
      task.keyId,
      task.groupId,
      task.modelId,
      task.endpoint,
      task.ask.seconds,
      JSON.stringify(task.ask),
      JSON.stringify(task.asked),
      JSON.stringify(pinRow(task.pin)),
      String(task.holdNano),
      task.keepHistory,
      task.ownMs,
      task.createdAt,
      task.expiresAt,
    ],
  )
  return inserted.rowCount === 1
}

async function saveAnswer(client: pg.PoolClient, task: NewTask, answer: BookedAnswer): Promise<boolean> {
  const kept = await client.query(
    `UPDATE idempotency SET status = $4, headers = $5, body = $6
      WHERE account_id = $1 AND key = $2 AND request_id = $3 AND status IS NULL`,
    [task.accountId, answer.key, task.requestId, answer.status, JSON.stringify(answer.headers), Buffer.from(answer.body)],
  )
  return kept.rowCount === 1
}
