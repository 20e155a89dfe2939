import { expect, it } from 'vitest'
import type { CatalogModel, Connection, Deployment } from '../domain/catalog.ts'
import { Breakers } from './breaker.ts'
import { CallSlots } from './call-slots.ts'
import { chooseDeployment, type Route, refuseNoDeployment } from './choose-deployment.ts'
import type { GatewayPorts } from './ports.ts'

const connection = { id: 'con', name: 'con', kind: 'fake', concurrency: 3 } as Connection
const deployment = (id: string, concurrency: number | null, priority = 0): Deployment => ({
  ...{ id, concurrency, priority, weight: 1, upstreamModel: id, connection },
})

it('a deployment at its limit is passed over until a call of it ends; so are all of a connection at its limit', () => {
  const callSlots = new CallSlots()
  const breakers = new Breakers(
    { failures: 1, cooldownMs: 1, maxCooldownMs: 1 },
    () => 0,
    () => undefined,
  )
  const ports = {
    ticks: () => 0,
    random: () => 0,
    breakers,
    callSlots,
    vendor: () => ({ forward: {} }),
  } as unknown as GatewayPorts
  const model = { id: 'm', deployments: [deployment('first', 1), deployment('second', null, 1)] } as unknown as CatalogModel
  const sizeOf = () => ({ input: 0, output: 0 })
  const next = () => (chooseDeployment(model, [], sizeOf, ports) as Route | null)?.deployment.id ?? null
  const [first, second] = model.deployments as [Deployment, Deployment]
  expect(next()).toBe('first')
  const leave = callSlots.enter(first)
  expect(next()).toBe('second')
  leave()
  leave()
  expect(next()).toBe('first')
  const leaves = [second, second, second].map((each) => callSlots.enter(each))
  expect(next()).toBeNull()
  expect(refuseNoDeployment(model, sizeOf, ports)).toMatchObject({ condition: 'unavailable', retryAfter: 1 })
  leaves[0]?.()
  expect(next()).toBe('first')
})
