/** The bits of an IPv6 address below /64 are up to the holder of the network. */
const NETWORK_BITS = 64
const GROUPS = 8
const GROUP_BITS = 16

/**
 * The unit in which attempts from an address are counted: the address itself for IPv4, its network for IPv6. Takes addresses in
 * the form in which they are compared, with hexadecimal numbers only.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [headGroups = [], tailGroups = []] = (address.split('%')[0] ?? '')
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
  const between = Array.from({ length: GROUPS - headGroups.length - tailGroups.length }, () => '0')
  const network = [...headGroups, ...between, ...tailGroups].slice(0, NETWORK_BITS / GROUP_BITS).join(':')
  return `${network.replace(/(^0)?(:0)+$/, '')}::/${NETWORK_BITS}`
}
