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
