import { join } from 'node:path'
import pg from 'pg'
import { type Env, readEnv } from '../env.ts'
import { openDataDir } from '../setup/secrets.ts'
import { startEmbedded } from '../store/embedded/embedded.ts'

/** Who changes something from here, as the log names them. */
export const COMMAND_LINE = {
  userId: 'command line',
  email: 'command line',
  accountId: '',
  name: '',
  role: 'operator' as const,
  sessionEpoch: 0,
}

/** Runs a command on the gateway's database: the one of DATABASE_URL, or the embedded one, started if need be. */
export async function withDatabase(work: (pool: pg.Pool, env: Env) => Promise<number>): Promise<void> {
  process.chdir(join(import.meta.dirname, '../..'))
  const env = readEnv()
  if (!env.DATABASE_URL) await openDataDir(env.DATA_DIR)
  const embedded = env.DATABASE_URL ? null : await startEmbedded({ dataDir: join(env.DATA_DIR, 'postgres') })
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL ?? embedded?.url, max: 2 })
  pool.on('error', () => undefined)
  try {
    process.exitCode = await work(pool, env)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  } finally {
    await pool.end()
    // A server that was running before belongs to a gateway.
    if (embedded && !embedded.adopted && (await embedded.clients()) === 0) await embedded.stop()
  }
}
