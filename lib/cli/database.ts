import { join } from 'node:path'
import pg from 'pg'
import { type Env, readEnv } from '../env.ts'
import { reasonOf, under } from '../setup/reason.ts'
import { openDataDir } from '../setup/secrets.ts'
import { type Embedded, startEmbedded } from '../store/embedded/embedded.ts'

/** Who changes something from here, as the log names them. */
export const COMMAND_LINE = {
  userId: 'command line',
  email: 'command line',
  accountId: '',
  name: '',
  role: 'operator' as const,
  sessionEpoch: 0,
  locale: 'en' as const,
}

type Work = (pool: pg.Pool, env: Env, embedded: Embedded | null) => Promise<number>

/** Runs a command in the project's folder. What it answers is how the process ends; an error is a line to read, and 1. */
export async function runCommand(work: (env: Env) => Promise<number>): Promise<void> {
  process.chdir(join(import.meta.dirname, '../..'))
  try {
    process.exitCode = await work(readEnv())
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`)
    process.exitCode = 1
  }
}

/** Runs a command on the gateway's database: the one of DATABASE_URL, or the embedded one, started if need be. */
export const withDatabase = (work: Work): Promise<void> =>
  runCommand(async (env) => {
    if (!env.DATABASE_URL) await under('DATA_DIR', 'the folder cannot be used', openDataDir(env.DATA_DIR))
    const embedded = env.DATABASE_URL ? null : await startEmbedded({ dataDir: join(env.DATA_DIR, 'postgres') })
    const pool = new pg.Pool({ connectionString: env.DATABASE_URL ?? embedded?.url, max: 2 })
    pool.on('error', () => undefined)
    try {
      return await work(pool, env, embedded)
    } finally {
      await pool.end()
      // A server that was running before belongs to a gateway.
      if (embedded && !embedded.adopted && (await embedded.clients()) === 0) await embedded.stop()
    }
  })
