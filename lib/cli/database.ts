import { join, resolve } from 'node:path'
import type pg from 'pg'
import type { Env } from '../env.ts'
import { COMMAND_LINE_ID } from '../services/operator/operator-ports.ts'
import { assertSecrets } from '../setup/assert-secrets.ts'
import { withErrorContext } from '../setup/error-reason.ts'
import { readExistingSecrets, type Secrets } from '../setup/secrets.ts'
import { assertReachable } from '../store/check-database.ts'
import { type Embedded, startEmbedded } from '../store/embedded/embedded.ts'
import { hasPlace } from '../store/embedded/place.ts'
import { isMigrated, pendingMigrations } from '../store/migrate.ts'
import { openPool } from '../store/open-pool.ts'
import { type Command, runCommand } from './command.ts'

/** The user that makes changes from the command line, as the log names it. */
export const COMMAND_LINE_USER = {
  userId: COMMAND_LINE_ID,
  email: COMMAND_LINE_ID,
  accountId: '',
  name: '',
  role: 'operator' as const,
  sessionEpoch: 0,
  locale: 'en' as const,
}

/** What a command works with. */
interface CommandContext<Input> {
  input: Input
  pool: pg.Pool
  env: Env
  /** Null if the database is the one at DATABASE_URL. */
  embedded: Embedded | null
}

/**
 * The secrets of the gateway that has this database. Throws if others are here: what is sealed or hashed with them would be valid at
 * no gateway.
 */
export async function openSecrets(pool: pg.Pool, env: Env): Promise<Secrets> {
  const secrets = await readExistingSecrets(env)
  await assertSecrets(pool, secrets)
  return secrets
}

/** Throws if the database lacks migrations that this release's statements need. */
async function refuseOlderSchema(pool: pg.Pool): Promise<void> {
  const [first, ...more] = await pendingMigrations(pool)
  if (first === undefined) return
  const missing = more.length === 0 ? first : `${first} and ${more.length} more`
  throw new Error(`This database is of an older release: it lacks the migration ${missing}. Start this release once: npm start`)
}

/**
 * Runs a command on the gateway's database: the one at DATABASE_URL, or the embedded one, which is started if necessary. If there
 * is no gateway, none is created, so a folder that was named by mistake stays as it is and a backup can still be restored there.
 * A database of an older release is refused, unless `allowOlderSchema` says that it makes no difference.
 */
export const withDatabase = <Input>(
  command: Command<Input> & { allowOlderSchema?: true },
  run: (opened: CommandContext<Input>) => Promise<number>,
): Promise<void> =>
  runCommand(command, async (input, env) => {
    const dataDir = join(env.DATA_DIR, 'postgres')
    if (!env.DATABASE_URL && !(await hasPlace(dataDir)))
      throw new Error(
        `DATA_DIR: there is no gateway in ${resolve(env.DATA_DIR)}. Set it to the folder of one, or create one: npm start`,
      )
    const embedded = env.DATABASE_URL ? null : await startEmbedded({ dataDir })
    const pool = openPool({ connectionString: env.DATABASE_URL ?? embedded?.url, max: 2 })
    pool.on('error', () => undefined)
    try {
      await withErrorContext(embedded ? 'DATA_DIR' : 'DATABASE_URL', 'the database cannot be used', assertReachable(pool))
      if (!(await isMigrated(pool))) throw new Error('There is no gateway in this database yet. Create one: npm start')
      if (!command.allowOlderSchema) await refuseOlderSchema(pool)
      return await run({ input, pool, env, embedded })
    } finally {
      await pool.end()
      // A server that was already running belongs to a gateway.
      if (embedded && !embedded.adopted && (await embedded.clients()) === 0) await embedded.stop()
    }
  })
