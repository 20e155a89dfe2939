import { expect, it } from 'vitest'
import { clientAddress } from './client-address.ts'

it.each([
  [{ 'x-tollgate-address': '203.0.113.7' }, '203.0.113.7'],
  [{ 'x-tollgate-address': '::ffff:203.0.113.7' }, '203.0.113.7'],
  [{ 'x-tollgate-address': '2001:db8:1:2:3:4:5:6' }, '2001:db8:1:2::/64'],
  [{ 'x-tollgate-address': 'fe80::1%eth0' }, 'fe80::/64'],
  [{ 'x-tollgate-address': '203.0.113.7', 'x-forwarded-for': '198.51.100.1' }, '203.0.113.7'],
  [{ 'x-forwarded-for': '198.51.100.1, 203.0.113.9' }, '203.0.113.9'],
  [{ 'x-forwarded-for': 'nonsense' }, 'unknown'],
  [{}, 'unknown'],
])('counts %j as %s', (headers, address) => {
  expect(clientAddress(new Headers(headers as Record<string, string>))).toBe(address)
})
