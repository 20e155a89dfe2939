import type pg from 'pg'
import type { LogPort } from '../gateway/ports.ts'
import { type PgTaskStore, TASK_JOB } from '../store/task-store.ts'
import { type JobRunner, runJobs } from './jobs.ts'

const REVIVE_MS = 2_000
/** A task that was not picked up for this long has lost its job. */
const OVERDUE_MS = 15_000
/** When the process stops, steps in progress may take this long to end. Then they are left for others to pick up. */
const DRAIN_MS = 10_000

export interface TaskRunnerParts {
  pool: pg.Pool
  store: PgTaskStore
  log: LogPort
  /** The name of this process in the ledger. It changes if the process was presumed dead. */
  owner(): string
  /** Runs one step of a task. */
  step(id: string, signal: AbortSignal): Promise<void>
}

/**
 * Runs the steps of tasks as graphile-worker hands them out, until it is stopped. Every two seconds it also looks for tasks that
 * have lost their job, such as those of a process that was killed. When it is stopped, steps in progress end or are left.
 */
export async function runTasks({ pool, store, log, owner, step }: TaskRunnerParts): Promise<JobRunner> {
  const leaving = new AbortController()
  const running = new Set<string>()
  /** Tasks whose next job arrived while one of their steps was in progress here. */
  const again = new Set<string>()

  async function takeTurn(payload: unknown): Promise<void> {
    const { id } = payload as { id: string }
    if (running.has(id)) {
      again.add(id)
      return
    }
    running.add(id)
    try {
      do {
        again.delete(id)
        await step(id, leaving.signal)
      } while (again.has(id))
    } catch (error) {
      if (leaving.signal.aborted) return
      log.warn({ task: id, error: String(error) }, 'a step of a task failed; it is retried')
      throw error
    } finally {
      running.delete(id)
    }
  }

  const runner = await runJobs({ pool, log, runs: 'tasks', jobs: { [TASK_JOB]: takeTurn } })
  const timer = setInterval(() => {
    store.revive(owner(), [...running], OVERDUE_MS).then(
      (count) => {
        if (count > 0) log.info({ count }, 'tasks that had lost their process were resumed')
      },
      (error: unknown) => log.warn({ error: String(error) }, 'looking for lost tasks waits for the database'),
    )
  }, REVIVE_MS)

  return {
    async stop() {
      clearInterval(timer)
      const left = setTimeout(() => leaving.abort(), DRAIN_MS)
      try {
        await runner.stop()
      } finally {
        clearTimeout(left)
      }
    },
  }
}
