import { describe, expect, it } from 'vitest'
import { isOwnOrigin } from './origin.ts'

const PUBLIC = 'https://gate.example.com/base'
const own = (headers: Record<string, string>) => isOwnOrigin(new Headers(headers), PUBLIC)

describe('isOwnOrigin', () => {
  it.each([
    ['the public address', { origin: 'https://gate.example.com', host: 'anything' }],
    ['loopback by name', { origin: 'http://localhost:3000', host: 'localhost:3000' }],
    ['loopback by address', { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' }],
    ['loopback in IPv6', { origin: 'http://[::1]:3000', host: '[::1]:3000' }],
    ['a default port', { origin: 'http://localhost', host: 'localhost:80' }],
    ['loopback behind TLS', { origin: 'https://localhost', host: 'localhost:443' }],
  ])('takes %s', (_, headers) => {
    expect(own(headers)).toBe(true)
  })

  it.each([
    ['no Origin', { host: 'localhost:3000' }],
    ['an opaque Origin', { origin: 'null', host: 'localhost:3000' }],
    ['another site', { origin: 'https://evil.example', host: 'gate.example.com' }],
    ['another scheme of the public host', { origin: 'http://gate.example.com', host: 'gate.example.com' }],
    ['a Host that agrees with a foreign Origin', { origin: 'http://evil.example', host: 'evil.example' }],
    ['another port on loopback', { origin: 'http://localhost:4000', host: 'localhost:3000' }],
    ['another loopback name', { origin: 'http://localhost:3000', host: '127.0.0.1:3000' }],
    ['a name that starts like loopback', { origin: 'http://localhost.evil.example', host: 'localhost.evil.example' }],
    ['a Host that hides another', { origin: 'http://evil.example', host: 'localhost@evil.example' }],
    ['a Host that is none', { origin: 'http://localhost', host: 'local host' }],
  ])('refuses %s', (_, headers) => {
    expect(own(headers)).toBe(false)
  })
})
