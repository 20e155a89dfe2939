import ipaddr from 'ipaddr.js'

/**
 * The header in which server.ts hands on the client's address, taken from the socket or from the
 * proxies that TRUSTED_PROXIES names. It overwrites whatever a client sent under this name.
 */
export const ADDRESS_HEADER = 'x-tollgate-address'

/** Below /64 an IPv6 address is the choice of whoever holds the network. */
const NETWORK_BITS = 64

/**
 * Under what a client is counted: its IPv4 address, or its IPv6 network. Where no server in front says
 * who it is (`next dev`), the last hop that Next itself adds, and else one name for all.
 */
export function clientAddress(headers: Headers): string {
  const text = headers.get(ADDRESS_HEADER) ?? headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? ''
  if (!ipaddr.isValid(text)) return 'unknown'
  const address = ipaddr.process(text)
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString().split('%')[0]}/${NETWORK_BITS}`)}/${NETWORK_BITS}`
}
