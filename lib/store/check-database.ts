import pg from 'pg'

/** The oldest supported server, as `server_version_num` gives it. */
const MIN_SERVER_VERSION = 150_000

/** What a server says about itself and this database. */
interface ServerInfo {
  version: string
  number: number
  encoding: string
  readOnly: boolean
}

const SERVER_INFO = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
         current_setting('server_encoding') AS encoding, current_setting('transaction_read_only') = 'on' AS "readOnly"`

/** Why no gateway can serve from this database, as a sentence for people, or null if it can. */
function unsupportedReason({ version, number, encoding, readOnly }: ServerInfo): string | null {
  if (number < MIN_SERVER_VERSION) return `it is PostgreSQL ${version}, and at least version 15 is required`
  if (readOnly) return 'it is read-only: it is a standby, or its settings make it so. Use the primary'
  // SQL_ASCII keeps whatever it is given; any other encoding lacks characters that people write.
  if (!['UTF8', 'SQL_ASCII'].includes(encoding))
    return `its encoding is ${encoding}. Make one with: CREATE DATABASE ... ENCODING 'UTF8'`
  return null
}

/** The codes of OpenSSL and Node for a certificate that no known authority has signed, or that belongs to another host. */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_|CERT_ALTNAME_INVALID/

/** Connects to a database for the first time. Also rejects if a file named in its address is missing. */
export async function assertReachable(pool: pg.Pool): Promise<void> {
  try {
    await pool.query('SELECT 1')
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string }
    if (typeof code !== 'string' || !UNTRUSTED.test(code)) throw error
    throw new Error(
      `its certificate is not trusted (${message.split(';', 1)[0]}). Name that of its authority (?sslmode=verify-full&sslrootcert=FILE), ` +
        'or have it encrypted and not checked (?sslmode=no-verify)',
    )
  }
}

/** Rejects while the database does not respond or takes no writes: then nothing can be charged, and so nothing is served. */
export async function assertWritable(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  const { rows } = await pool.query<{ readOnly: boolean }>(`SELECT current_setting('transaction_read_only') = 'on' AS "readOnly"`)
  if (rows[0]?.readOnly !== false) throw new Error('it is read-only')
}

type Queryable = Pick<pg.PoolClient, 'query'>

/** How often to look. If a pooler answers from any of its sessions, another client's activity can hide that once. */
const SESSION_CHECKS = 5

/**
 * Whether two connections share sessions, or one of them is answered from several. Both happen with a pooler that lends its
 * sessions per transaction, whether it lends the one returned last or the one that has been idle longest.
 */
export async function sharesSessions(one: Queryable, other: Queryable): Promise<boolean> {
  const sessionOf = async (client: Queryable): Promise<number | undefined> => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    return rows[0]?.pid
  }
  const [own, foreign] = [await sessionOf(one), await sessionOf(other)]
  if (own === foreign) return true
  for (let look = 0; look < SESSION_CHECKS; look++) {
    // Twice in a row: if the connections only took turns, each could meet its own session again.
    const pids = [await sessionOf(one), await sessionOf(one)]
    if (pids.some((pid) => pid !== own) || (await sessionOf(other)) !== foreign) return true
  }
  return false
}

/** Clocks set over the network differ by less than this, in milliseconds, including the time to reach the database. */
const MAX_CLOCK_SKEW_MS = 10_000

/**
 * A note for people if this machine's clock differs from the database's, else null. Leases follow the database's clock. Prices,
 * keys and the expiry of file addresses follow the machine's clock.
 */
export async function clockSkewWarning(pool: Pick<pg.Pool, 'query'>, now: () => number = Date.now): Promise<string | null> {
  const { rows } = await pool.query<{ ms: string }>('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms')
  const skewMs = now() - Number(rows[0]?.ms)
  if (!(Math.abs(skewMs) > MAX_CLOCK_SKEW_MS)) return null
  return (
    `The clock of this machine is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs < 0 ? 'behind' : 'ahead of'} that of the database. Set it: new prices ` +
    'hold too late or too early, and so do the ends of keys, of addresses of files and of codes for signing in.'
  )
}

/** A connection that gets a session is answered within this time, in milliseconds. */
const ANSWER_TIMEOUT_MS = 20_000

/** Whether the other end of a connection is the server itself: the server then sees the port that the connection has here. */
async function isDirectConnection(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { stream } = (client as unknown as { connection: { stream: { localPort?: number } } }).connection
    const { rows } = await client.query<{ port: number | null }>('SELECT inet_client_port() AS port')
    return (stream.localPort ?? null) === (rows[0]?.port ?? null)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * Rejects if a pooler stands before the database and does not answer this many connections at once: with fewer sessions it lets
 * the others wait without an error. A server that has no room for that many says so itself when they are needed.
 */
export async function checkPoolCapacity(url: string, count: number, answerMs = ANSWER_TIMEOUT_MS): Promise<void> {
  if (await isDirectConnection(url)) return
  const timeouts = { connectionTimeoutMillis: answerMs, query_timeout: answerMs }
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url, ...timeouts }))
  const isAnswered = async (client: pg.Client): Promise<boolean> => {
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.query('SELECT 1')
      return true
    } catch (error) {
      return !/timeout/i.test(String(error))
    }
  }
  const answered = (await Promise.all(clients.map(isAnswered))).filter(Boolean).length
  await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
  // If none is answered, the database cannot be reached.
  if (answered === 0 || answered === count) return
  throw new Error(
    `of ${count} connections, which these settings take, it answers ${answered} and lets the others wait: a pooler before it has too few ` +
      'sessions. Give it more (in PgBouncer, pool_size), or set a smaller DATABASE_POOL',
  )
}

/** Rejects with what to fix if no gateway can serve from this database. Takes two connections of the pool. */
export async function checkDatabase(pool: pg.Pool): Promise<void> {
  await assertReachable(pool)
  const one = await pool.connect()
  try {
    const { rows } = await one.query<ServerInfo>(SERVER_INFO)
    const reason = rows[0] ? unsupportedReason(rows[0]) : null
    if (reason !== null) throw new Error(reason)
    const other = await pool.connect()
    try {
      if (await sharesSessions(one, other))
        throw new Error(
          'a connection pooler in front of it assigns sessions per transaction, so charges would be lost. Use the database ' +
            'itself, or have the pooler keep a session for each connection (pool_mode = session)',
        )
    } finally {
      other.release()
    }
  } finally {
    one.release()
  }
}
