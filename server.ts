import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import pg from 'pg'
import { type Env, readEnv } from '#lib/env'
import { closeHttp, createHttp } from '#lib/host/http'
import { openLane } from '#lib/host/lane'
import { publicUrl, runtime } from '#lib/runtime'
import { buildConsoleOnce } from '#lib/setup/build-console'
import { openDataDir, type Secrets, secretsOf } from '#lib/setup/secrets'
import { type FirstStart, seed } from '#lib/setup/seed'
import { type Embedded, startEmbedded } from '#lib/store/embedded/embedded'
import { migrate } from '#lib/store/migrate'

/** Requests under way may take this long to end after a signal. */
const DRAIN_MS = 30_000
/** A second signal after this long is meant; before, it is npm that passes on what the terminal sent to us too. */
const AGAIN_MS = 1000

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

function banner(url: string, dataDir: string, first: FirstStart | null): string {
  if (!first)
    return `\nTollgate serves ${url}\nThe operator's sign-in and first key stand in ${join(dataDir, 'first-start.txt')} if they were not changed.\n`
  return [
    '',
    `Tollgate serves  ${url}`,
    `Base URL         ${url}/v1`,
    `Operator sign-in ${first.email}  ${first.password}`,
    `API key          ${first.apiKey}`,
    '',
    'Try it:',
    `curl ${url}/v1/chat/completions -H "Authorization: Bearer ${first.apiKey}" -H "Content-Type: application/json" -d '{"model":"sandbox/chat","messages":[{"role":"user","content":"Hello"}]}'`,
    '',
  ].join('\n')
}

async function main(): Promise<void> {
  process.chdir(import.meta.dirname)
  const env = readEnv()
  await openDataDir(env.DATA_DIR)
  const embedded = env.DATABASE_URL ? null : await startEmbedded({ dataDir: join(env.DATA_DIR, 'postgres'), log: say })
  try {
    await serve(env, env.DATABASE_URL ?? embedded?.url ?? '', embedded)
  } catch (error) {
    await leave(embedded)
    throw error
  }
}

/** The database goes last, and only if no other process of ours uses it. */
async function leave(embedded: Embedded | null): Promise<void> {
  if (embedded && (await embedded.clients()) === 0) await embedded.stop()
}

/** Migrates and seeds. Answers what a first start made. */
async function prepareDatabase(env: Env, url: string, secrets: Secrets): Promise<FirstStart | null> {
  await migrate({ url, log: say })
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  pool.on('error', () => undefined)
  try {
    return await seed(pool, env, secrets, say)
  } finally {
    await pool.end()
  }
}

async function serve(env: Env, url: string, embedded: Embedded | null): Promise<void> {
  // Next reads these when it is imported, and the runtime of its copy of the modules reads the same.
  process.env.DATABASE_URL = url
  process.env.NEXTAUTH_URL = publicUrl(env)
  const secrets = await secretsOf(env)
  process.env.NEXTAUTH_SECRET = secrets.nextAuthSecret
  const first = await prepareDatabase(env, url, secrets)
  const rest = env.ROLE === 'gateway' ? null : await openConsole()
  const app = await runtime()
  const lane = await openLane(join(import.meta.dirname, 'app'))
  const server = createHttp({ env, metrics: app.metrics, lane, rest: rest?.handle ?? null })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(env.PORT, env.HOST, resolve)
  })
  const text = banner(publicUrl(env), env.DATA_DIR, first)
  if (first) await writeFile(join(env.DATA_DIR, 'first-start.txt'), text, { mode: 0o600 })
  say(text)

  let stoppingSince: number | null = null
  const stop = async (code: number): Promise<void> => {
    if (stoppingSince !== null) return
    stoppingSince = performance.now()
    say('Stopping: requests under way may finish.')
    try {
      await closeHttp(server, DRAIN_MS)
      await rest?.close()
      await app.stop()
      await leave(embedded)
    } catch (error) {
      app.log.error({ error: String(error) }, 'the process could not stop as it should')
      process.exit(code || 1)
    }
    process.exit(code)
  }
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => {
      if (stoppingSince === null) void stop(0)
      else if (performance.now() - stoppingSince > AGAIN_MS) process.exit(130)
    })
  guard(app.log, stop)
}

/** After an error that nobody caught, nothing in this process can be trusted: settle what is waiting, and end. */
function guard(log: { fatal(fields: object, message: string): void }, stop: (code: number) => Promise<void>): void {
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.removeAllListeners(event)
    process.on(event, (error: unknown) => {
      log.fatal({ error: error instanceof Error ? error.stack : String(error) }, 'an error that nobody caught')
      setTimeout(() => process.exit(1), 2000)
      void stop(1)
    })
  }
}

async function openConsole(): Promise<{
  handle: (request: IncomingMessage, response: ServerResponse) => void
  close(): Promise<void>
}> {
  await buildConsoleOnce(say)
  process.env.NEXT_MANUAL_SIG_HANDLE = 'true'
  const { default: next } = await import('next')
  // At its first page Next takes over every request with an Upgrade header, the API's too (Java's client sends one
  // with each), and answers none: it gets a server of its own to listen to, on which nothing comes.
  const app = next({ dev: false, dir: import.meta.dirname, httpServer: createServer() })
  await app.prepare()
  const handle = app.getRequestHandler()
  return {
    handle: (request, response) => {
      // A page that fails may not end the process that serves the API.
      handle(request, response).catch(() => response.destroy())
    },
    close: () => app.close(),
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
