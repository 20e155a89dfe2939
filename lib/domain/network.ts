/** Below /64 an IPv6 address is the choice of whoever holds the network. */
const NETWORK_BITS = 64
const GROUPS = 8
const GROUP_BITS = 16

/**
 * Under what tries from an address are counted: an IPv4 address itself, of an IPv6 address its network. Takes addresses in the form
 * in which they compare, with numbers in hexadecimal only.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [before = [], after = []] = (address.split('%')[0] ?? '').split('::').map((part) => part.split(':').filter(Boolean))
  const between = Array.from({ length: GROUPS - before.length - after.length }, () => '0')
  const network = [...before, ...between, ...after].slice(0, NETWORK_BITS / GROUP_BITS).join(':')
  return `${network.replace(/(^0)?(:0)+$/, '')}::/${NETWORK_BITS}`
}
