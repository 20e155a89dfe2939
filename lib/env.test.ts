import { expect, it } from 'vitest'
import { readEnv } from './env.ts'

it('takes addresses and ranges as trusted proxies', () => {
  expect(readEnv({ TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,fd00::/8' }).TRUSTED_PROXIES).toEqual([
    '127.0.0.1',
    '10.0.0.0/8',
    'fd00::/8',
  ])
  expect(readEnv({}).TRUSTED_PROXIES).toEqual([])
})

it.each(['loopback', '10.0.0.0/99', 'proxy.internal'])('refuses %s at the start, not at each request', (text) => {
  expect(() => readEnv({ TRUSTED_PROXIES: text })).toThrow(/TRUSTED_PROXIES: addresses and ranges/)
})
