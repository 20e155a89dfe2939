import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeUnused, type Env, publicUrl } from '../env.ts'
import { assertSecrets } from '../setup/assert-secrets.ts'
import { buildConsoleIfStale } from '../setup/build-console.ts'
import { withErrorContext } from '../setup/error-reason.ts'
import { secretsOf } from '../setup/secrets.ts'
import { seed } from '../setup/seed.ts'
import type { FirstStart } from '../setup/seed-operator.ts'
import { assertReachable, checkDatabase, checkPoolCapacity, clockSkewWarning } from '../store/check-database.ts'
import { migrate } from '../store/migrate.ts'
import { openPool } from '../store/open-pool.ts'
import { leaveSecretMark } from '../store/secret-mark.ts'
import { withSeedLock } from '../store/seed-store.ts'
import { JOB_RUNNERS, migrateJobs } from './job-runner.ts'

interface PrepareOptions {
  printLine: (line: string) => void
  /** Aborts the steps that take long. */
  signal: AbortSignal
}

/** The connections that a process keeps besides its pool: for jobs, to settle, and to listen. */
const EXTRA_CONNECTIONS = JOB_RUNNERS + 3
/** To find out whether there are enough connections, a start never opens more than this. */
const MAX_TRIED = 64

/** How many connections all processes of this machine keep. */
function maxConnectionsOf({ WORKERS, ROLE, DATABASE_POOL }: Pick<Env, 'WORKERS' | 'ROLE' | 'DATABASE_POOL'>): number {
  const processes = ROLE === 'console' || WORKERS <= 1 ? 1 : WORKERS + (ROLE === 'all' ? 1 : 0)
  return Math.min(MAX_TRIED, processes * (DATABASE_POOL + EXTRA_CONNECTIONS))
}

/**
 * Prepares this machine once before anything serves: runs migrations, creates the first accounts, and builds the console. Leaves
 * the settings that Next and workers read in the environment. `embeddedUrl` is null if DATABASE_URL is set. Returns what a first
 * start created, which is saved in a file by then.
 */
export async function prepare(
  env: Env,
  embeddedUrl: string | null,
  { printLine, signal }: PrepareOptions,
): Promise<FirstStart | null> {
  for (const line of describeUnused()) printLine(line)
  const url = embeddedUrl ?? env.DATABASE_URL ?? ''
  process.env.DATABASE_URL = url
  process.env.PORT = String(env.PORT)
  process.env.NEXTAUTH_URL = publicUrl(env)
  const secrets = await secretsOf(env)
  process.env.NEXTAUTH_SECRET = secrets.nextAuthSecret
  const pool = openPool({ connectionString: url, max: 3 })
  pool.on('error', () => undefined)
  let first: FirstStart | null
  try {
    const [setting, check] =
      embeddedUrl === null ? (['DATABASE_URL', checkDatabase(pool)] as const) : (['DATA_DIR', assertReachable(pool)] as const)
    await withErrorContext(setting, 'the database cannot be used', check)
    if (embeddedUrl === null)
      await withErrorContext(setting, 'the database cannot be used', checkPoolCapacity(url, maxConnectionsOf(env)))
    const note = embeddedUrl === null ? await clockSkewWarning(pool) : null
    if (note !== null) printLine(note)
    await withErrorContext(setting, 'its tables cannot be made', migrate({ url, log: printLine, signal }))
    const saveFirst = (firstStart: FirstStart) => saveFirstStart(env, firstStart)
    first = await withSeedLock(pool, async () => {
      // Before anything is sealed with a key that the other gateways of this database do not have: they could not load it.
      await assertSecrets(pool, secrets)
      await leaveSecretMark(pool, secrets.mark)
      if (env.ROLE !== 'console') await migrateJobs(pool)
      return await seed(pool, env, { secrets, printLine, saveFirstStart: saveFirst })
    })
  } finally {
    await pool.end()
  }
  signal.throwIfAborted()
  if (env.ROLE !== 'gateway') await buildConsoleIfStale(printLine, signal)
  return first
}

const firstStartPath = (env: Pick<Env, 'DATA_DIR'>): string => join(env.DATA_DIR, 'first-start.txt')

/** The path of the file with what the first start created. Null if it was created elsewhere, or the file is gone. */
export async function findFirstStartFile(env: Pick<Env, 'DATA_DIR'>): Promise<string | null> {
  const path = firstStartPath(env)
  return await stat(path).then(
    () => path,
    () => null,
  )
}

/** Writes the only file that keeps the operator's password and the first key in plain text. */
const saveFirstStart = (env: Env, first: FirstStart): Promise<void> =>
  writeFile(firstStartPath(env), formatBanner(env, first, null), { mode: 0o600, flush: true })

/** The first lines on the screen. `file` is the file that keeps them since the first start, if there is one. */
export function formatBanner(env: Env, first: FirstStart | null, file: string | null): string {
  const url = publicUrl(env)
  if (!first)
    return [
      '',
      `Tollgate serves ${url}`,
      ...(file === null ? [] : [`The operator sign-in and the first API key are in ${file}, unless they were changed.`]),
      '',
    ].join('\n')
  return [
    '',
    `Tollgate serves  ${url}`,
    `Base URL         ${url}/v1`,
    // Printed by the process that starts first, whichever it is, because it is printed only once.
    `Operator email   ${first.email}${env.ROLE === 'gateway' ? '  signs in to the console, which a process with ROLE=console serves' : ''}`,
    `Password         ${first.password}`,
    `API key          ${first.apiKey}`,
    '',
    'Try it:',
    `curl ${url}/v1/chat/completions -H "Authorization: Bearer ${first.apiKey}" -H "Content-Type: application/json" -d '{"model":"sandbox/chat","messages":[{"role":"user","content":"Hello"}]}'`,
    '',
  ].join('\n')
}
