import pg from 'pg'

/** A server that does not answer at once is given up, and the connection with it. */
const TIMEOUT_MS = 15_000

/**
 * What a server, a database or a role may have set in another way. Its time zone is usually that of its machine, and Prisma drops
 * the zone from what it reads and writes; dates in the order of a country are not read at all. The tables are those of the schema
 * that Prisma names.
 */
export const SESSION_SETTINGS = "SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET search_path = public"

/** Prepares a new connection to the gateway's database. */
export async function prepareSession(client: pg.ClientBase): Promise<void> {
  const query: pg.QueryConfig & { query_timeout: number } = { text: SESSION_SETTINGS, query_timeout: TIMEOUT_MS }
  await client.query(query)
}

/** A pool of connections to the gateway's database. A connection that is lost while it is in use fails its query only. */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, onConnect: prepareSession })
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
