import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import type { Connection } from '../domain/catalog.ts'

/** The HTTP agent for one connection: keep-alive sockets, the connection's own timeouts, and its proxy if it has one. */
export function agentOf(connection: Connection): Dispatcher {
  const { proxy, connectTimeoutMs: timeout } = connection
  const options = {
    headersTimeout: connection.headersTimeoutMs,
    bodyTimeout: connection.idleTimeoutMs,
    keepAliveTimeout: 30_000,
    allowH2: false,
  }
  // With a proxy, two connects can time out: the one to the proxy, and the one from there to the vendor.
  if (proxy) return new ProxyAgent({ ...options, uri: proxy, proxyTls: { timeout }, requestTls: { timeout } })
  return new Agent({ ...options, connect: { timeout } })
}
