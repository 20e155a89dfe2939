import { Agent } from 'undici'
import type { Connection } from '../domain/catalog.ts'

/** The sockets to one connection's vendor: kept alive, and with the connection's own timeouts. */
export function agentOf(connection: Connection): Agent {
  return new Agent({
    connect: { timeout: connection.connectTimeoutMs },
    headersTimeout: connection.headersTimeoutMs,
    bodyTimeout: connection.idleTimeoutMs,
    keepAliveTimeout: 30_000,
    allowH2: false,
  })
}
