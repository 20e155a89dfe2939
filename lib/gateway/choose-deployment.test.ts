import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CatalogModel, Connection, Deployment } from '../domain/catalog.ts'
import { Breakers } from './breaker.ts'
import { chooseDeployment as chooseSoon, type Route, refuseNoDeployment as refuse } from './choose-deployment.ts'
import type { GatewayPorts } from './ports.ts'

let nowMs = 0
let random: () => number
let breakers: Breakers
beforeEach(() => {
  nowMs = 0
  random = () => 0
  breakers = new Breakers(
    { failures: 1, cooldownMs: 10_000, maxCooldownMs: 40_000 },
    () => nowMs,
    () => undefined,
  )
})

const ports = () =>
  ({
    ticks: () => nowMs,
    random: () => random(),
    breakers,
    vendor: ({ kind }: Connection) =>
      kind === 'unknown' ? null : { forward: {}, ...(kind === 'box' ? { simulated: true } : {}) },
  }) as unknown as GatewayPorts

const sizeOf = () => ({ input: 0, output: 0 })
/** Never returns a promise here, because these deployments have no limits per minute. */
const choose = (model: CatalogModel, tried: string[]) => chooseSoon(model, tried, sizeOf, ports()) as Route | null
const refuseAll = (model: CatalogModel) => refuse(model, sizeOf, ports())

const deployment = (id: string, weight = 1, priority = 0, kind = 'fake'): Deployment => ({
  ...{ id, weight, priority, upstreamModel: id },
  connection: { id, name: id, kind } as Connection,
})
const modelOf = (...deployments: Deployment[]): CatalogModel => ({ id: 'm', deployments }) as unknown as CatalogModel

/** The ids in the order in which one request would try them. */
function order(model: CatalogModel): string[] {
  const tried: string[] = []
  for (;;) {
    const route = choose(model, tried)
    if (route === null) return tried
    route.pass?.release()
    tried.push(route.deployment.id)
  }
}

describe('the order of deployments', () => {
  it('goes by priority, the lowest number first', () => {
    random = () => 0.999
    expect(order(modelOf(deployment('c', 9, 7), deployment('a', 1, -2), deployment('b', 5, 0)))).toEqual(['a', 'b', 'c'])
  })

  it('has each deployment once, whatever the weights, the priorities and the dice', () => {
    const item = fc.tuple(fc.integer({ min: -3, max: 5 }), fc.integer({ min: -2, max: 2 }))
    const dice = fc.array(fc.double({ min: 0, max: 0.999_999, noNaN: true }), { minLength: 1 })
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), dice, (items, rolls) => {
        let roll = 0
        random = () => rolls[roll++ % rolls.length] ?? 0
        const all = items.map(([weight, priority], index) => deployment(`d${index}`, weight, priority))
        const tried = order(modelOf(...all))
        expect([...tried].sort()).toEqual(all.map(({ id }) => id).sort())
        const priorities = tried.map((id) => all.find((one) => one.id === id)?.priority ?? 0)
        expect(priorities).toEqual([...priorities].sort((a, b) => a - b))
      }),
    )
  })

  it('goes by weight among equals, also among those that are left', () => {
    // A seeded generator (Park and Miller), so that the counts are the same each time.
    let seed = 42
    random = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    const model = modelOf(deployment('a', 6), deployment('b', 3), deployment('c', 1), deployment('never', 0))
    const first = new Map<string, number>()
    const second = new Map<string, number>()
    for (let n = 0; n < 20_000; n++) {
      const [one = '', two = ''] = order(model)
      first.set(one, (first.get(one) ?? 0) + 1)
      if (one === 'a') second.set(two, (second.get(two) ?? 0) + 1)
    }
    const share = (counts: Map<string, number>, id: string) =>
      (counts.get(id) ?? 0) / [...counts.values()].reduce((sum, count) => sum + count, 0)
    expect(share(first, 'a')).toBeCloseTo(0.6, 1.7)
    expect(share(first, 'b')).toBeCloseTo(0.3, 1.7)
    expect(share(first, 'c')).toBeCloseTo(0.1, 1.7)
    expect(share(second, 'b')).toBeCloseTo(0.75, 1.7)
    expect(first.has('never')).toBe(false)
  })

  it('leaves out a deployment whose kind this version does not know', () => {
    const model = modelOf(deployment('old', 1, 0, 'unknown'), deployment('good', 1, 1))
    expect(order(model)).toEqual(['good'])
    expect(choose(modelOf(deployment('old', 1, 0, 'unknown')), [])).toBeNull()
  })

  it('leaves out what has an open breaker, until its time has come, and then for one call at a time', () => {
    const model = modelOf(deployment('a'), deployment('b', 1, 1))
    breakers.take('a').recordFailure()
    expect(order(model)).toEqual(['b'])
    nowMs = 10_000
    const probe = choose(model, [])
    expect(probe?.deployment.id).toBe('a')
    expect(choose(model, [])?.deployment.id).toBe('b')
    probe?.pass?.recordSuccess()
    expect(choose(model, [])?.deployment.id).toBe('a')
  })

  it('leaves out what an operator holds, however well it is', () => {
    const model = modelOf({ ...deployment('a'), held: true }, deployment('b', 1, 1))
    expect(order(model)).toEqual(['b'])
    expect(order(modelOf({ ...deployment('box', 1, 0, 'box'), held: true }))).toEqual([])
  })

  it('has what rests last, behind every priority', () => {
    const model = modelOf(deployment('a'), deployment('b', 1, 2_147_483_647))
    breakers.take('a').recordLimit(5000)
    expect(order(model)).toEqual(['b', 'a'])
    nowMs = 5000
    expect(order(model)).toEqual(['a', 'b'])
  })

  it('takes no notice of what fails because it was asked to', () => {
    expect(choose(modelOf(deployment('sandbox', 1, 0, 'box')), [])?.pass).toBeNull()
  })
})

describe('where nothing can be called', () => {
  it('the time until the first breaker may let a probe through is told', () => {
    const model = modelOf(deployment('a'), deployment('b'))
    breakers.take('a').recordFailure()
    nowMs = 3500
    breakers.take('b').recordFailure()
    expect(choose(model, [])).toBeNull()
    expect(refuseAll(model)).toMatchObject({ condition: 'unavailable', status: 503, retryAfter: 7 })
  })

  it('a second is, while a probe is under way', () => {
    const model = modelOf(deployment('a'))
    breakers.take('a').recordFailure()
    nowMs = 10_000
    breakers.take('a')
    expect(refuseAll(model).retryAfter).toBe(1)
  })

  it('half a minute is, where there is no deployment, or none that is not held', () => {
    expect(refuseAll(modelOf())).toMatchObject({ condition: 'unavailable', retryAfter: 30 })
    breakers.take('a').recordFailure()
    const held = modelOf({ ...deployment('a'), held: true })
    expect(refuseAll(held)).toMatchObject({ condition: 'unavailable', retryAfter: 30 })
  })
})
