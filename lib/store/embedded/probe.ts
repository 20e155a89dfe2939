import { readFile, realpath } from 'node:fs/promises'
import { createServer } from 'node:net'
import pg from 'pg'
import { USER } from './initialize.ts'
import type { Place } from './place.ts'

/**
 * What a connection to a port found. `ready`: our server. `busy`: our server, but it is starting, recovering or stopping, or
 * has no free connection. `silent`: nothing that answers. `stranger`: something that is not our server.
 */
export type Probe = 'ready' | 'busy' | 'silent' | 'stranger'

/** The connection string of the server on this port. It contains the password. */
export async function urlOf(place: Place, port: number, database = USER): Promise<string> {
  const password = (await readFile(place.passwordFile, 'utf8')).trim()
  return `postgresql://${USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
}

/** Connects once, and makes the database in the server if it is missing. */
export async function probe(place: Place, port: number): Promise<Probe> {
  const first = await tryConnect(place, port, USER)
  if (first !== 'no database') return first
  const made = await tryConnect(place, port, 'postgres', `CREATE DATABASE ${USER}`)
  return made === 'no database' ? 'stranger' : made
}

async function tryConnect(place: Place, port: number, database: string, command?: string): Promise<Probe | 'no database'> {
  const connectionString = await urlOf(place, port, database)
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5000, query_timeout: 20_000 })
  // Without a listener, a server that ends at the wrong moment would crash this process too.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ directory: string }>(`SELECT current_setting('data_directory') AS directory`)
    if (rows[0]?.directory !== (await realpath(place.cluster)) && rows[0]?.directory !== place.cluster) return 'stranger'
    if (command) await client.query(command)
    return 'ready'
  } catch (error) {
    return classifyError(error)
  } finally {
    await client.end().catch(() => {})
  }
}

function classifyError(error: unknown): Probe | 'no database' {
  // Refused, cut off or too slow: the caller checks the process and probes again.
  if (!(error instanceof pg.DatabaseError)) return 'silent'
  // cannot_connect_now, admin_shutdown, crash_shutdown, too_many_connections
  if (['57P03', '57P01', '57P02', '53300'].includes(error.code ?? '')) return 'busy'
  if (error.code === '3D000') return 'no database'
  // Another start made the database between our two attempts.
  if (error.code === '42P04' || error.code === '23505') return 'ready'
  return 'stranger'
}

/** How a server is used: its clients in any database, except the one that counts them, and how many connections it allows. */
export interface ConnectionUsage {
  clients: number
  room: number
}

/** Reads how the server of this connection string is used. */
export async function readConnectionUsage(url: string): Promise<ConnectionUsage> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<ConnectionUsage>(
      `SELECT count(*)::int AS clients, current_setting('max_connections')::int AS room FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    )
    return rows[0] ?? { clients: 0, room: 0 }
  } finally {
    await client.end().catch(() => {})
  }
}

/** The first port from `from` upward that nothing listens on; any free port if `from` is 0. */
export async function freePort(from: number): Promise<number> {
  for (let port = from; port <= 65_535; port += 1) {
    const got = await new Promise<number | undefined>((resolve) => {
      const server = createServer()
      server.once('error', () => resolve(undefined))
      // Exclusive: a worker of a cluster must try the port itself, not through the primary process.
      server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
        const address = server.address()
        server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
      })
    })
    if (got !== undefined) return got
  }
  throw new Error(`No port from ${from} upward is free on 127.0.0.1`)
}
