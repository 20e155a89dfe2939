import { describe, expect, it } from 'vitest'
import { parseAddressRange } from './address-range.ts'

describe('addressRange', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    [' 203.0.113.7 ', '203.0.113.7'],
    ['203.0.113.7/32', '203.0.113.7'],
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0::1', '2001:db8::1'],
    ['2001:db8::1/32', '2001:db8::/32'],
    ['::/0', '::/0'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7/120', '203.0.113.0/24'],
  ])('reads %s as %s', (text, range) => {
    expect(parseAddressRange(text)).toBe(range)
  })

  it.each([
    'localhost',
    '',
    '203.0.113',
    '127.1',
    '0x7f.0.0.1',
    '010.0.0.1',
    '203.0.113.256',
    '203.0.113.0/33',
    '203.0.113.0/-1',
    '203.0.113.0/24/8',
    '203.0.113.0/',
    'fe80::1%eth0',
    '2001:db8::/129',
    '1:2:3',
  ])('refuses %j', (text) => {
    expect(parseAddressRange(text)).toBeNull()
  })
})
