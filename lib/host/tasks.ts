import type pg from 'pg'
import type { LogPort } from '../gateway/ports.ts'
import { type PgTaskStore, TASK_JOB } from '../store/task-store.ts'

/** Turns of tasks that this process takes at once. */
const CONCURRENCY = 16
/** How often each worker looks for jobs whose time has come; new ones are heard of at once. */
const LOOK_MS = 1_000
const REVIVE_MS = 2_000
/** A task that nobody has taken up for so long has lost its job. */
const OVERDUE_MS = 15_000
/** What is under way may take so long to end when the process stops; then it is left to be taken up again. */
const DRAIN_MS = 10_000
const RESTART_MS = 1_000

export interface TaskRunner {
  /** Resolves when what is under way has ended, or was left. */
  stop(): Promise<void>
}

/** What graphile-worker has to do besides tasks, by the name of the job. */
export type Jobs = Record<string, (payload: unknown) => Promise<void>>

export interface TaskRunnerParts {
  pool: pg.Pool
  store: PgTaskStore
  log: LogPort
  /** The name of this process in the ledger, which changes when it was taken for dead. */
  owner(): string
  /** One turn of a task. */
  step(id: string, signal: AbortSignal): Promise<void>
  jobs?: Jobs
}

/** Makes the tables of graphile-worker, in a schema of their own. Any number of processes may call this at once. */
export async function migrateJobs(pool: pg.Pool): Promise<void> {
  const { runMigrations } = await import('graphile-worker')
  await runMigrations({ pgPool: pool })
}

/**
 * Takes turns of tasks, as graphile-worker hands them out, until it is stopped. Every two seconds it also looks for tasks
 * that have lost their job, such as those of a process that was killed.
 */
export async function runTasks({ pool, store, log, owner, step, jobs = {} }: TaskRunnerParts): Promise<TaskRunner> {
  const { Logger, run } = await import('graphile-worker')
  const leaving = new AbortController()
  const running = new Set<string>()
  /** Those whose next job came while a turn of theirs was under way here. */
  const again = new Set<string>()
  const logger = new Logger(() => (level, message) => {
    // A turn that failed is told below, in our own words.
    if (level === 'error' && !message.startsWith('Failed task')) log.warn({ message }, 'graphile-worker met an error')
  })

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
      log.warn({ task: id, error: String(error) }, 'a turn of a task failed; it is taken again')
      throw error
    } finally {
      running.delete(id)
    }
  }

  const start = () =>
    run({
      pgPool: pool,
      concurrency: CONCURRENCY,
      pollInterval: LOOK_MS,
      noHandleSignals: true,
      logger,
      taskList: { ...jobs, [TASK_JOB]: takeTurn },
      parsedCronItems: [],
      // One look for all of them.
      preset: { worker: { localQueue: { size: CONCURRENCY } } },
    })
  let stopped = false
  let runner = await start()
  /** It ends by itself where the database is away for long. */
  const keep = async () => {
    while (!stopped) {
      await runner.promise.catch(() => undefined)
      if (stopped) return
      log.warn({}, 'the work on tasks has stopped; it is started again')
      await new Promise((resolve) => setTimeout(resolve, RESTART_MS))
      await start().then(
        (next) => {
          runner = next
        },
        () => undefined,
      )
    }
  }
  void keep()

  const timer = setInterval(() => {
    store.revive(owner(), [...running], OVERDUE_MS).then(
      (count) => {
        if (count > 0) log.info({ count }, 'tasks were taken up again that had lost their process')
      },
      (error: unknown) => log.warn({ error: String(error) }, 'looking for lost tasks waits for the database'),
    )
  }, REVIVE_MS)

  return {
    async stop() {
      stopped = true
      clearInterval(timer)
      const left = setTimeout(() => leaving.abort(), DRAIN_MS)
      try {
        await runner.stop().catch(() => undefined)
      } finally {
        clearTimeout(left)
      }
    },
  }
}
