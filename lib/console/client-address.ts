import ipaddr from 'ipaddr.js'
import { networkOf } from '../domain/network.ts'

/**
 * The header in which the server on our one port (lib/host/http.ts) passes on the client's address, taken from the socket or
 * from the proxies that TRUSTED_PROXIES names. It overwrites what a client sent under this name.
 */
export const ADDRESS_HEADER = 'x-tollgate-address'

/**
 * The name under which a client is counted: its IPv4 address or its IPv6 network. If no server in front passes the address on
 * (`next dev`), it is the last hop, which Next itself adds. If that is missing too, all clients share the name `unknown`.
 */
export function clientAddress(headers: Headers): string {
  const text = headers.get(ADDRESS_HEADER) ?? headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? ''
  return ipaddr.isValid(text) ? networkOf(ipaddr.process(text).toString()) : 'unknown'
}
