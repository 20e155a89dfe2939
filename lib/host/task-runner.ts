import type pg from 'pg'
import type { LogPort } from '../gateway/ports.ts'
import { CANCEL_JOB, type PgTaskStore, TASK_JOB } from '../store/task-store.ts'
import { type JobRunner, runJobs } from './job-runner.ts'

const REVIVE_INTERVAL_MS = 2_000
/** A task that was not picked up for this long has lost its job. */
const OVERDUE_MS = 15_000
/** When the process stops, steps in progress may take this long to end. Then they are left for others to pick up. */
const DRAIN_TIMEOUT_MS = 10_000

export interface TaskRunnerParts {
  pool: pg.Pool
  store: PgTaskStore
  log: LogPort
  /** The name of this process in the ledger. It changes if the process was presumed dead. */
  owner(): string
  /** Runs one step of a task. */
  step(id: string, signal: AbortSignal): Promise<void>
  /** Cancels a task of an account, if it is unfinished. */
  cancel(accountId: string, id: string): Promise<void>
}

/**
 * Runs the steps of tasks as graphile-worker hands them out, until it is stopped. Every two seconds it also looks for tasks that
 * have lost their job, such as those of a process that was killed. When it is stopped, steps in progress end or are left.
 */
export async function runTasks({ pool, store, log, owner, step, cancel }: TaskRunnerParts): Promise<JobRunner> {
  const stopController = new AbortController()
  const running = new Set<string>()
  /** Tasks whose next job arrived while one of their steps was in progress here. */
  const rerunIds = new Set<string>()

  async function runStep(payload: unknown): Promise<void> {
    const { id } = payload as { id: string }
    if (running.has(id)) {
      rerunIds.add(id)
      return
    }
    running.add(id)
    try {
      do {
        rerunIds.delete(id)
        await step(id, stopController.signal)
      } while (rerunIds.has(id))
    } catch (error) {
      if (stopController.signal.aborted) return
      log.warn({ task: id, error: String(error) }, 'a step of a task failed; it is retried')
      throw error
    } finally {
      running.delete(id)
    }
  }

  async function runCancel(payload: unknown): Promise<void> {
    const { accountId, id } = payload as { accountId: string; id: string }
    try {
      await cancel(accountId, id)
    } catch (error) {
      log.warn({ task: id, error: String(error) }, 'a task could not be cancelled; it is retried')
      throw error
    }
  }

  const runner = await runJobs({ pool, log, runnerName: 'tasks', jobs: { [TASK_JOB]: runStep, [CANCEL_JOB]: runCancel } })
  const timer = setInterval(() => {
    store.revive(owner(), [...running], OVERDUE_MS).then(
      (count) => {
        if (count > 0) log.info({ count }, 'tasks that had lost their process were resumed')
      },
      (error: unknown) => log.warn({ error: String(error) }, 'looking for lost tasks waits for the database'),
    )
  }, REVIVE_INTERVAL_MS)

  return {
    async stop() {
      clearInterval(timer)
      const drainTimer = setTimeout(() => stopController.abort(), DRAIN_TIMEOUT_MS)
      try {
        await runner.stop()
      } finally {
        clearTimeout(drainTimer)
      }
    },
  }
}
