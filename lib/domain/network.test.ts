import { expect, it } from 'vitest'
import { networkOf } from './network.ts'

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8::/64'],
  ['2001:0:0:1::9', '2001:0:0:1::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::1', '::/64'],
])('counts what comes from %s under %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
