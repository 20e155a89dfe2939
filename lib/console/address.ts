import ipaddr from 'ipaddr.js'
import { networkOf } from '../domain/network.ts'

/**
 * The header in which the one port (lib/host/http.ts) hands on the client's address, taken from the socket or from the
 * proxies that TRUSTED_PROXIES names. It overwrites whatever a client sent under this name.
 */
export const ADDRESS_HEADER = 'x-tollgate-address'

/**
 * Under what a client is counted: its IPv4 address, or its IPv6 network. Where no server in front says
 * who it is (`next dev`), the last hop that Next itself adds, and else one name for all.
 */
export function clientAddress(headers: Headers): string {
  const text = headers.get(ADDRESS_HEADER) ?? headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? ''
  return ipaddr.isValid(text) ? networkOf(ipaddr.process(text).toString()) : 'unknown'
}
