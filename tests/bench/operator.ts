// Measures what operators look at, in a gateway with many models, accounts and requests:
// npm run bench:console -- [--models 1000] [--accounts 100000] [--rows 10000000] [--times 41] [--json FILE]
// --keep leaves the database running until it is interrupted, and --database URL measures such a database again.
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { formatColumns } from '#lib/cli/columns'
import { seedGroup } from '#lib/store/seed-store'
import { ensureConsoleBuilt } from '../support/ensure-console-built.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startServer } from '../support/server.ts'
import { HOLDER_ROUTES, idsOf, type MeasuredRoutes, signIn, type Timing, timeRequests, urlsOf } from './console.ts'
import { BUSY, BUSY_ACCOUNT, DEFAULT_SCALE, fillOperatorData, type OperatorScale, OWNER } from './operator-data.ts'

/** The highest median that any page of an operator may take. */
const OPERATOR_MS = 200

const { values: options } = parseArgs({
  options: {
    models: { type: 'string', default: String(DEFAULT_SCALE.models) },
    accounts: { type: 'string', default: String(DEFAULT_SCALE.accounts) },
    rows: { type: 'string', default: String(DEFAULT_SCALE.rows) },
    times: { type: 'string', default: '41' },
    json: { type: 'string' },
    keep: { type: 'boolean', default: false },
    database: { type: 'string' },
  },
})

const numberOf = (name: 'models' | 'accounts' | 'rows' | 'times', min: number): number => {
  const value = Number(options[name])
  if (!Number.isSafeInteger(value) || value < min) throw new Error(`--${name}: a whole number from ${min}`)
  return value
}
const scale: OperatorScale = { models: numberOf('models', 20), accounts: numberOf('accounts', 100), rows: numberOf('rows', 1000) }
const times = numberOf('times', 1)

const say = (line: string): void => void process.stdout.write(`${line}\n`)

interface OperatorIds {
  /** A model and an account late in their lists, for pages near the end. */
  lateModel: string
  lateAccount: string
  /** A request of the account. */
  request: string
  /** A model and an account that are used much. */
  model: string
  account: string
  /** A log line in the middle of the log. */
  audit: string
}

const encoded = encodeURIComponent

/** What operators read: an entry for each route that is requested with more than its plain address. */
const OPERATOR_ROUTES: MeasuredRoutes<OperatorIds> = {
  // Offers are requested from the vendor, whose time does not count here.
  includes: (route) => route.startsWith('/api/operator/') && !route.endsWith('/offers'),
  queries: {
    '/api/operator/connections': () => ['', '?search=vendor%2002', '?before=Vendor%20030'],
    '/api/operator/models': (ids) => [
      '',
      '?limit=200',
      '?search=model-0000',
      '?search=nothing-has-this-name',
      `?before=${encoded(ids.lateModel)}`,
      '?archived=yes',
    ],
    '/api/operator/model': (ids) => [`?id=${encoded(ids.model)}`],
    '/api/operator/accounts': (ids) => [
      '',
      '?limit=200',
      `?before=${encoded(`-~${ids.lateAccount}~`)}`,
      '?state=suspended',
      '?state=closed',
      '?role=owner',
      '?search=person-77777',
      '?search=person',
      '?search=p&limit=200',
      '?search=nobody-has-this-name',
      `?search=${ids.lateAccount}`,
      '?search=0042',
    ],
    '/api/operator/accounts/[id]/request': (ids) => [`?request=${ids.request}`],
    '/api/operator/accounts/[id]/usage': () => ['?range=24h', '?range=30d', '?range=90d', '?range=90d&by=key'],
    '/api/operator/codes': () => [
      '',
      '?state=open',
      '?state=redeemed',
      '?state=withdrawn',
      `?before=code_${'1000'.padStart(26, '0')}`,
    ],
    '/api/operator/traffic': (ids) => [
      ...['15m', '1h', '6h', '24h', '7d', '30d'].flatMap((range) => [`?range=${range}`, `?range=${range}&by=deployment`]),
      '?range=24h&by=connection&measure=took&sort=took',
      '?range=30d&by=model&measure=first&sort=margin',
      `?range=30d&model=${encoded(ids.model)}&by=deployment`,
      '?range=30d&connection=con_10&by=model',
    ],
    '/api/operator/groups': () => ['', '?search=group%2003', '?before=Group%20040'],
    '/api/operator/audit': (ids) => [
      '',
      `?before=${ids.audit}`,
      '?target=connection',
      '?target=group',
      '?target=model',
      '?target=connection&targetId=con_10',
    ],
  },
  parameters: {
    '/api/operator/accounts/[id]': (ids) => ids.account,
    '/api/operator/accounts/[id]/entries': (ids) => ids.account,
    '/api/operator/accounts/[id]/request': (ids) => ids.account,
    '/api/operator/accounts/[id]/requests': (ids) => ids.account,
    '/api/operator/accounts/[id]/usage': (ids) => ids.account,
    '/api/operator/connections/[id]': () => 'con_10',
    '/api/operator/groups/[id]': () => 'grp_5',
  },
}

/** The pages themselves, as a browser requests them when a link is followed. */
const PAGES = [
  ...['connections', 'connections/con_10', 'models', 'groups', 'groups/grp_5', 'audit'],
  ...['traffic', 'accounts', `accounts/${BUSY_ACCOUNT}`, 'codes'],
]

async function operatorIds(pool: pg.Pool): Promise<OperatorIds> {
  const one = async (text: string): Promise<string> => (await pool.query<{ id: string }>(text)).rows[0]?.id ?? ''
  return {
    lateModel: await one(`select id from model where id like 'maker-%' order by id desc offset 60 limit 1`),
    lateAccount: await one('select id from account order by id offset 60 limit 1'),
    model: 'maker-0/model-000000',
    account: BUSY_ACCOUNT,
    request: await one(`select id from usage_record where account_id = '${BUSY_ACCOUNT}' order by id desc offset 1000 limit 1`),
    audit: await one('select id from audit_log order by id desc offset 100000 limit 1'),
  }
}

async function timePages(pool: pg.Pool, gateway: TestGateway): Promise<Timing[]> {
  const ids = await operatorIds(pool)
  const operators = await urlsOf(OPERATOR_ROUTES, ids)
  const holders = await urlsOf(HOLDER_ROUTES, await idsOf({ pool }, BUSY_ACCOUNT))
  const unknown = [...operators.unknown, ...holders.unknown]
  if (unknown.length > 0) say(`NOT MEASURED, no value for the parameter: ${unknown.join(', ')}`)
  const pages = [...PAGES, `models/${ids.model}`].map((page) => `/operator/${page}`)
  const owner = await signIn(gateway, OWNER)
  return [
    ...(await timeRequests(gateway.url, [...operators.addresses, ...pages], owner, times)),
    ...(await timeRequests(gateway.url, holders.addresses, await signIn(gateway, BUSY), times)),
  ]
}

const ms = (value: number): string => value.toFixed(1)

/** The server to measure, filled. */
async function prepareDatabase(): Promise<{ url: string; gigabytes: string; filledS: number; stop(): Promise<void> }> {
  // A temporary database need not survive a power cut. Reads run as with the embedded server's settings.
  const server = options.database
    ? { url: options.database, stop: async () => undefined }
    : await startServer({ fsync: false, settings: { max_wal_size: '4GB', maintenance_work_mem: '512MB' } })
  const pool = new pg.Pool({ connectionString: server.url, max: 1 })
  pool.on('error', () => undefined)
  const started = performance.now()
  try {
    if (!options.database) {
      await seedGroup(pool)
      await fillOperatorData(pool, scale, say)
    }
    const { rows } = await pool.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes')
    const gigabytes = (Number(rows[0]?.bytes) / 1024 ** 3).toFixed(1)
    return { url: server.url, gigabytes, filledS: Math.round((performance.now() - started) / 1000), stop: () => server.stop() }
  } catch (error) {
    await server.stop()
    throw error
  } finally {
    await pool.end()
  }
}

/** Measures a filled database. Returns whether all of it is fast enough. */
async function measure(url: string, about: { gigabytes: string; filledS: number }): Promise<boolean> {
  const size = `${scale.models} models, ${scale.accounts} accounts, ${scale.rows} usage rows`
  say(`${size}: ${about.gigabytes} GB, filled in ${about.filledS} s\n`)
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => undefined)
  try {
    await using gateway = await startGateway({ databaseUrl: url, env: { ROLE: 'all', LOG_LEVEL: 'error' } })
    const timings = await timePages(pool, gateway)
    const slow = timings.filter(({ medianMs }) => medianMs > OPERATOR_MS)
    const cells = timings.map((timing) => [
      `GET ${timing.address}`,
      ms(timing.medianMs),
      ms(timing.p95Ms),
      timing.medianMs > OPERATOR_MS ? 'SHORT' : 'met',
    ])
    say(`${formatColumns([['address', 'median ms', 'p95 ms', `<= ${OPERATOR_MS} ms`], ...cells])}\n`)
    if (options.json) await writeFile(options.json, `${JSON.stringify({ crowd: scale, ...about, times, timings }, null, 2)}\n`)
    const slowest = timings.reduce((a, b) => (b.medianMs > a.medianMs ? b : a))
    const verdict = slow.length === 0 ? 'all' : `${timings.length - slow.length} of`
    say(
      `${verdict} ${timings.length} addresses within ${OPERATOR_MS} ms at the median over ${size}; slowest ${slowest.address}, ${ms(slowest.medianMs)} ms`,
    )
    return slow.length === 0
  } finally {
    await pool.end()
  }
}

await ensureConsoleBuilt()
const { url, stop, ...about } = await prepareDatabase()
try {
  const fast = measure(url, about)
  // With --keep, a failed measurement does not discard a database that took minutes to fill.
  process.exitCode = (await (options.keep ? fast.catch((error: unknown) => say(String(error)) ?? false) : fast)) ? 0 : 1
  if (options.keep) {
    say(`\n--database ${url}   (until this is interrupted)`)
    // Waiting for a signal alone does not keep a process alive.
    const staying = setInterval(() => undefined, 60_000)
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
    clearInterval(staying)
  }
} finally {
  await stop()
}
