import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrateJobs } from '#lib/host/job-runner'
import { migrate } from '#lib/store/migrate'
import { removeLeftovers, startServer, type TestServer } from './server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The connection string of the run's PostgreSQL, for creating databases in it. */
    postgresUrl: string
    /** The name of the migrated database from which test databases are copied. */
    templateDatabase: string
  }
}

const TEMPLATE = 'tollgate_template'
const SERVER_KEY = Symbol.for('tollgate.test.server')

interface SharedServer {
  users: number
  server: Promise<TestServer>
}

/**
 * Starts the one PostgreSQL of a test run and creates the template in it. Every project that needs it names this file: the first
 * starts it, the last stops it. TEST_FSYNC=on makes every write durable.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Each project has its own copy of this module, so shared state is stored on globalThis.
  const shared = globalThis as typeof globalThis & { [SERVER_KEY]?: SharedServer }
  shared[SERVER_KEY] ??= { users: 0, server: startSharedServer() }
  const sharedServer = shared[SERVER_KEY]
  sharedServer.users += 1
  const server = await sharedServer.server
  project.provide('postgresUrl', server.url)
  project.provide('templateDatabase', TEMPLATE)
  return async () => {
    sharedServer.users -= 1
    if (sharedServer.users > 0) return
    delete shared[SERVER_KEY]
    await server.stop()
  }
}

async function startSharedServer(): Promise<TestServer> {
  await removeLeftovers()
  const server = await startServer({ fsync: process.env.TEST_FSYNC === 'on' })
  try {
    const admin = new pg.Client({ connectionString: server.url })
    await admin.connect()
    await admin.query(`CREATE DATABASE ${TEMPLATE}`)
    const url = new URL(server.url)
    url.pathname = `/${TEMPLATE}`
    await migrate({ url: url.href })
    const pool = new pg.Pool({ connectionString: url.href, max: 1 })
    pool.on('error', () => {})
    // An error on a connection in use also fails its query.
    pool.on('connect', (client) => client.on('error', () => undefined))
    await migrateJobs(pool)
    await pool.end()
    await admin.query(`ALTER DATABASE ${TEMPLATE} WITH IS_TEMPLATE true ALLOW_CONNECTIONS false`)
    await admin.end()
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}
