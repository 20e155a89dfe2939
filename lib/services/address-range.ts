import ipaddr from 'ipaddr.js'

/** `::ffff:0:0/96` holds the IPv4-mapped addresses. A range inside it is treated as an IPv4 range. */
const MAPPED_BITS = 96

/** ipaddr.js also reads `127.1`, octal and hexadecimal parts, and zones, which mean different things elsewhere. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null
}

/**
 * Normalizes an address or CIDR range: the first address of the range, IPv4-mapped addresses as IPv4, and no prefix length for a
 * single address. Returns null if it is neither.
 */
export function parseAddressRange(text: string): string | null {
  const [host = '', length, ...rest] = text.trim().split('/')
  const address = parseAddress(host)
  if (!address || rest.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return null
  const width = address.kind() === 'ipv4' ? 32 : 128
  const bits = length === undefined ? width : Number(length)
  if (bits > width) return null
  if (address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress() && bits >= MAPPED_BITS) {
    return parseAddressRange(`${(address as ipaddr.IPv6).toIPv4Address()}/${bits - MAPPED_BITS}`)
  }
  if (bits === width) return address.toString()
  const network = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  return `${network.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`
}
