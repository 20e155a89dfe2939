import { expect, it } from 'vitest'
import { clientAddress } from './receive.ts'

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51344', '203.0.113.7'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['[2001:DB8::1]', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  ['198.51.100.1, 203.0.113.7:1', '203.0.113.7'],
  ['203.0.113.7:51344, 10.0.0.2:80', '203.0.113.7'],
  // Text that is not an address says nothing: only the proxy itself is known.
  ['203.0.113.7:51344:1', '10.0.0.1'],
  ['unknown', '10.0.0.1'],
  ['_hidden:80', '10.0.0.1'],
])('behind a proxy that writes %j the client is %s', (forwarded, address) => {
  expect(clientAddress('10.0.0.1', forwarded, ['10.0.0.0/8'])).toBe(address)
})

it('believes nobody but the proxies that are trusted', () => {
  expect(clientAddress('198.51.100.9', '203.0.113.7:51344', ['10.0.0.0/8'])).toBe('198.51.100.9')
})
