import type pg from 'pg'
import type { LogPort } from '../gateway/ports.ts'

const RESTART_MS = 1_000

/**
 * Those who do jobs in a gateway's process. What has to be done soon has a runner of its own: jobs that wait for others' servers
 * would take all of its places. Each does so many at once, and each of its places looks so often for jobs whose time has come;
 * new ones are heard of at once.
 */
const RUNNERS = {
  tasks: { concurrency: 16, lookMs: 2_000 },
  webhooks: { concurrency: 16, lookMs: 5_000 },
  slowWebhooks: { concurrency: 8, lookMs: 5_000 },
}
/** Each of them listens on a connection of its own. */
export const JOB_RUNNERS = Object.keys(RUNNERS).length

/** What is done, by the name of the job. */
export type Jobs = Record<string, (payload: unknown) => Promise<void>>

export interface JobRunner {
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>
}

export interface JobRunnerParts {
  pool: pg.Pool
  log: LogPort
  runs: keyof typeof RUNNERS
  jobs: Jobs
}

/** Makes the tables of graphile-worker, in a schema of their own. Any number of processes may call this at once. */
export async function migrateJobs(pool: pg.Pool): Promise<void> {
  const { runMigrations } = await import('graphile-worker')
  await runMigrations({ pgPool: pool })
}

/** Does jobs as graphile-worker hands them out, until it is stopped. */
export async function runJobs({ pool, log, runs, jobs }: JobRunnerParts): Promise<JobRunner> {
  const { concurrency, lookMs } = RUNNERS[runs]
  const { Logger, run } = await import('graphile-worker')
  const logger = new Logger(() => (level, message) => {
    // A job that failed is told by whoever does it, in our own words.
    if (level === 'error' && !message.startsWith('Failed task')) log.warn({ message }, 'graphile-worker met an error')
  })
  const start = () =>
    run({
      pgPool: pool,
      concurrency,
      pollInterval: lookMs,
      noHandleSignals: true,
      logger,
      taskList: jobs,
      parsedCronItems: [],
      // What a job became is written by whoever handles errors: alone, without a delay, nobody hears that it could not be
      // written, and the process ends. Its queue of jobs that were taken ahead has the same gap, and is not used.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    })
  let stopped = false
  let runner = await start()
  const halt = () => runner.stop().catch(() => undefined)
  /** It ends by itself where the database is away for long. */
  const keep = async () => {
    while (!stopped) {
      await runner.promise.catch(() => undefined)
      if (stopped) return
      log.warn({ jobs: Object.keys(jobs) }, 'the job worker has stopped; it is restarted')
      await new Promise((resolve) => setTimeout(resolve, RESTART_MS))
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
  void keep()
  return {
    async stop() {
      stopped = true
      await halt()
    },
  }
}
