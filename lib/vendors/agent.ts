import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import type { Connection } from '../domain/catalog.ts'

/** The sockets to one connection's vendor: kept alive, with the connection's own timeouts, through its proxy. */
export function agentOf(connection: Connection): Dispatcher {
  const { proxy, connectTimeoutMs: timeout } = connection
  const options = {
    headersTimeout: connection.headersTimeoutMs,
    bodyTimeout: connection.idleTimeoutMs,
    keepAliveTimeout: 30_000,
    allowH2: false,
  }
  // Through a proxy there are two ways to be late: to the proxy, and from it to the vendor.
  if (proxy) return new ProxyAgent({ ...options, uri: proxy, proxyTls: { timeout }, requestTls: { timeout } })
  return new Agent({ ...options, connect: { timeout } })
}
