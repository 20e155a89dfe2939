import ipaddr from 'ipaddr.js'

/** Addresses that look public but at which a cloud serves its own machines. This one is Azure's. */
const NON_PUBLIC_SERVICES = new Set(['168.63.129.16'])
/** RFC 6052: the last 32 bits are an IPv4 address, to which a gateway of the network connects. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
/** RFC 4291: all global addresses that were assigned so far. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an IP address is on the public internet: not private, loopback, link-local, carrier-grade NAT, multicast, reserved, or
 * of a cloud's own services, and not an IPv6 address that contains such an address. False if the text is not an IP address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  return address.kind() === 'ipv4' ? isPublicIpv4(address as ipaddr.IPv4) : isPublicIpv6(address as ipaddr.IPv6)
}

const isPublicIpv4 = (address: ipaddr.IPv4): boolean =>
  address.range() === 'unicast' && !NON_PUBLIC_SERVICES.has(address.toString())

function isPublicIpv6(address: ipaddr.IPv6): boolean {
  if (address.isIPv4MappedAddress()) return isPublicIpv4(address.toIPv4Address())
  if (address.match(NAT64)) return isPublicIpv4(new ipaddr.IPv4(address.toByteArray().slice(12)))
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast'
}
