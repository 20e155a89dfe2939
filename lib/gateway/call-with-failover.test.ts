import { expect, it } from 'vitest'
import type { CatalogModel } from '../domain/catalog.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { Admitted } from './admit.ts'
import { Breakers } from './breaker.ts'
import { callWithFailover } from './call-with-failover.ts'
import type { Exchange } from './exchange.ts'
import type { GatewayPorts } from './ports.ts'

it('a mistake of ours while a breaker is half open does not leave its deployment out for ever', async () => {
  let nowMs = 0
  const settings = { failures: 1, cooldownMs: 1000, maxCooldownMs: 1000 }
  const breakers = new Breakers(
    settings,
    () => nowMs,
    () => undefined,
  )
  breakers.take('dep_1').recordFailure()
  nowMs = 1000
  const model = { id: 'm', deployments: [{ id: 'dep_1', weight: 1, priority: 0, connection: { headersTimeoutMs: 1 } }] }
  const gate = {
    request: { model: model as unknown as CatalogModel, from: { received: { request: new Request('http://localhost') } } },
  } as unknown as Admitted<unknown, unknown>
  const endpoint = {
    isStreamed() {
      throw new Error('our mistake')
    },
  } as unknown as PaidEndpoint<unknown, unknown>
  const ports = {
    settings: { hops: 3, requestTimeoutMs: 1000 },
    ticks: () => nowMs,
    random: () => 0,
    breakers,
    vendor: () => ({}),
  } as unknown as GatewayPorts
  const reaching = callWithFailover(
    gate,
    endpoint,
    async () => () => ({ status: 200, headers: {}, body: null }),
    {} as Exchange,
    ports,
  )
  await expect(reaching).rejects.toThrow('our mistake')
  expect(breakers.availabilityOf('dep_1', nowMs)).toBe('ready')
})
