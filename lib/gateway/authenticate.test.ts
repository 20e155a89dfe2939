import { expect, it } from 'vitest'
import type { Caller } from '../domain/catalog.ts'
import { authenticate } from './authenticate.ts'
import type { GatewayPorts } from './ports.ts'
import type { Received } from './receive.ts'

it('a key with a list of addresses is of no use where nobody vouches for an address', async () => {
  const ask = async (address: string | null, addressAllow: string[]) => {
    const caller = { groupId: 'grp_1', revoked: false, expiresAtMs: null, addressAllow } as unknown as Caller
    const ports = {
      isKnown: () => true,
      findCaller: () => caller,
      catalog: () => ({ groups: new Map([['grp_1', {}]]) }),
      limiter: { strike: async () => 0 },
    } as unknown as GatewayPorts
    const request = { headers: new Headers({ authorization: 'Bearer sk-tg-any' }) }
    return await authenticate({ request, address } as unknown as Received, ports)
  }
  await expect(ask(null, ['198.51.100.0/24'])).rejects.toMatchObject({ condition: 'invalid_key', status: 401 })
  expect((await ask('198.51.100.7', ['198.51.100.0/24'])).received.address).toBe('198.51.100.7')
  expect((await ask(null, [])).received.address).toBeNull()
})

it('wrong keys from one IPv6 network are counted together', async () => {
  const counted = new Set<string>()
  const count = async (address: string) => {
    counted.add(address)
    return 0
  }
  const ports = {
    isKnown: () => false,
    findCaller: () => null,
    limiter: { blockedSeconds: count, strike: count },
  } as unknown as GatewayPorts
  const request = { headers: new Headers({ authorization: 'Bearer sk-tg-any' }) }
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '203.0.113.7'])
    await expect(authenticate({ request, address } as unknown as Received, ports)).rejects.toMatchObject({ status: 401 })
  expect(counted).toEqual(new Set(['2001:db8:1:2::/64', '203.0.113.7']))
})
