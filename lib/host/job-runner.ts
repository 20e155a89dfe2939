import type pg from 'pg'
import type { LogPort } from '../gateway/ports.ts'

const RESTART_DELAY_MS = 1_000

/**
 * The job runners in a gateway's process. Urgent jobs have a runner of their own, because jobs that wait for other people's
 * servers would take all of its places. Each runner does `concurrency` jobs at once, and each of its places looks every `pollIntervalMs`
 * for jobs that are due. New jobs are announced at once.
 */
const RUNNERS = {
  tasks: { concurrency: 16, pollIntervalMs: 2_000 },
  webhooks: { concurrency: 16, pollIntervalMs: 5_000 },
  slowWebhooks: { concurrency: 8, pollIntervalMs: 5_000 },
}
/** How many runners there are. Each listens on a connection of its own. */
export const JOB_RUNNERS = Object.keys(RUNNERS).length

/** The function for each job, by the job's name. */
export type Jobs = Record<string, (payload: unknown) => Promise<void>>

export interface JobRunner {
  /** Resolves when the jobs in progress have ended. */
  stop(): Promise<void>
}

export interface JobRunnerParts {
  pool: pg.Pool
  log: LogPort
  runnerName: keyof typeof RUNNERS
  jobs: Jobs
}

/** Creates the tables of graphile-worker in their own schema. Any number of processes may call this at the same time. */
export async function migrateJobs(pool: pg.Pool): Promise<void> {
  const { runMigrations } = await import('graphile-worker')
  await runMigrations({ pgPool: pool })
}

/** Runs jobs as graphile-worker hands them out, until it is stopped. */
export async function runJobs({ pool, log, runnerName, jobs }: JobRunnerParts): Promise<JobRunner> {
  const { concurrency, pollIntervalMs } = RUNNERS[runnerName]
  const { Logger, run } = await import('graphile-worker')
  const logger = new Logger(() => (level, message) => {
    // The function that does the job logs its failure, in our own words.
    if (level === 'error' && !message.startsWith('Failed task')) log.warn({ message }, 'graphile-worker met an error')
  })
  const start = () =>
    run({
      pgPool: pool,
      concurrency,
      pollInterval: pollIntervalMs,
      noHandleSignals: true,
      logger,
      taskList: jobs,
      parsedCronItems: [],
      // With a delay set, even 0, graphile-worker handles errors when it writes a job's result. By default it does not: nobody is
      // told that the result could not be written, and the process ends. Its queue of jobs taken in advance has the same gap, so
      // it is not used.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    })
  let stopped = false
  let runner = await start()
  const halt = () => runner.stop().catch(() => undefined)
  /** Restarts the runner, which ends by itself if the database is away for long. */
  const superviseRunner = async () => {
    while (!stopped) {
      await runner.promise.catch(() => undefined)
      if (stopped) return
      log.warn({ jobs: Object.keys(jobs) }, 'the job worker has stopped; it is restarted')
      await new Promise((resolve) => setTimeout(resolve, RESTART_DELAY_MS))
      if (stopped) return
      await start().then(
        async (next) => {
          runner = next
          if (stopped) await halt()
        },
        () => undefined,
      )
    }
  }
  void superviseRunner()
  return {
    async stop() {
      stopped = true
      await halt()
    },
  }
}
