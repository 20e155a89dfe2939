import { beforeEach, describe, expect, it } from 'vitest'
import type { CatalogModel, Connection, Deployment } from '../domain/catalog.ts'
import { Breakers } from './breaker.ts'
import { CallSlots } from './call-slots.ts'
import { chooseDeployment, type Route, refuseNoDeployment } from './choose-deployment.ts'
import { DeploymentRates } from './deployment-rates.ts'
import { Counts } from './limits/counts.ts'
import type { LimiterPort } from './limits/ports.ts'
import { MemoryLimiter } from './memory-limiter.ts'
import type { GatewayPorts } from './ports.ts'

let nowMs = 0
let takes: { key: string; rpm: number; tpm: number; tokens: number }[] = []
let limiter: LimiterPort
let ports: GatewayPorts
let notified: [string, number][] = []
let size = { input: 100, output: 50 }
const sizeOf = () => size

const connection = { id: 'con', name: 'con', kind: 'fake' } as Connection
type Limits = Partial<Pick<Deployment, 'requestsPerMinute' | 'tokensPerMinute' | 'priority' | 'concurrency' | 'held'>>
const deployment = (id: string, limits: Limits = {}): Deployment => ({
  ...{ id, weight: 1, priority: 0, upstreamModel: id, connection },
  ...limits,
})
const modelOf = (...deployments: Deployment[]) => ({ id: 'm', deployments }) as unknown as CatalogModel

/** `later`: the count is asked for asynchronously, as when processes share their limits. */
function open({ later = false } = {}): void {
  const memory = new MemoryLimiter(new Counts({ ticks: () => nowMs }))
  limiter = {
    take(key, limits, tokens) {
      takes.push({ key, ...limits, tokens })
      const state = memory.take(key, limits, tokens)
      return later ? Promise.resolve(state) : state
    },
    correct: (key, limits, tokens) => memory.correct(key, limits, tokens),
    strike: () => 0,
    blockedSeconds: () => 0,
  }
  const ticks = () => nowMs
  const breakers = new Breakers({ failures: 1, cooldownMs: 5000, maxCooldownMs: 5000 }, ticks, () => undefined)
  const rates = new DeploymentRates({ limiter, ticks, onFull: (...full) => notified.push(full) })
  const vendor = () => ({ forward: {} })
  ports = { ticks, random: () => 0, breakers, callSlots: new CallSlots(), rates, vendor } as unknown as GatewayPorts
}
beforeEach(() => {
  nowMs = 0
  takes = []
  notified = []
  size = { input: 100, output: 50 }
  open()
})

const next = (model: CatalogModel): Route | null => {
  const route = chooseDeployment(model, [], sizeOf, ports)
  if (route instanceof Promise) throw new Error('this should be known at once')
  return route
}
const idOf = (route: Route | null) => route?.deployment.id ?? null
const ids = (model: CatalogModel, count: number) => Array.from({ length: count }, () => idOf(next(model)))
const refusal = (model: CatalogModel) => refuseNoDeployment(model, sizeOf, ports)

describe('a deployment with requests a minute', () => {
  it('is called so often in a minute; then the others go, and it again in the next', () => {
    const model = modelOf(deployment('a', { requestsPerMinute: 3 }), deployment('b', { priority: 1 }))
    expect(ids(model, 5)).toEqual(['a', 'a', 'a', 'b', 'b'])
    nowMs = 59_999
    expect(ids(model, 1)).toEqual(['b'])
    nowMs = 60_000
    expect(ids(model, 4)).toEqual(['a', 'a', 'a', 'b'])
  })

  it('leaves its calls to its equals by their weights, and the lower priority alone', () => {
    const model = modelOf(deployment('a', { requestsPerMinute: 1 }), deployment('b'), deployment('c', { priority: 1 }))
    expect(ids(model, 3)).toEqual(['a', 'b', 'b'])
  })

  it('is asked about no more than four times a second when it is full', () => {
    const model = modelOf(deployment('a', { requestsPerMinute: 2 }), deployment('b', { priority: 1 }))
    ids(model, 3)
    expect(takes).toHaveLength(3)
    for (nowMs = 1; nowMs < 250; nowMs++) next(model)
    expect(takes).toHaveLength(3)
    nowMs = 250
    ids(model, 100)
    expect(takes).toHaveLength(4)
  })

  it('takes a call for which its vendor is asked several times where there is room for one, and counts them all', () => {
    const model = modelOf(deployment('a', { requestsPerMinute: 3 }), deployment('b', { priority: 1 }))
    next(model)?.countedCall?.countRequests(1)
    next(model)?.countedCall?.countRequests(8)
    expect(ids(model, 1)).toEqual(['b'])
    const counted = takes.length
    next(modelOf(deployment('c', { tokensPerMinute: 1000 })))?.countedCall?.countRequests(8)
    expect(takes).toHaveLength(counted + 1)
  })

  it('is told to be full once in a minute', () => {
    const model = modelOf(deployment('a', { requestsPerMinute: 1 }))
    next(model)
    expect(notified).toEqual([])
    for (nowMs = 1000; nowMs < 60_000; nowMs += 1000) next(model)
    expect(notified).toEqual([['a', 59_000]])
    for (nowMs = 60_000; nowMs < 120_000; nowMs += 1000) next(model)
    expect(notified).toEqual([
      ['a', 59_000],
      ['a', 59_000],
    ])
  })

  it('has room at once when an operator gives it more, and none when less', () => {
    expect(ids(modelOf(deployment('a', { requestsPerMinute: 2 })), 3)).toEqual(['a', 'a', null])
    expect(ids(modelOf(deployment('a', { requestsPerMinute: 4 })), 3)).toEqual(['a', 'a', null])
    expect(ids(modelOf(deployment('a')), 2)).toEqual(['a', 'a'])
    expect(ids(modelOf(deployment('a', { requestsPerMinute: 1 })), 1)).toEqual([null])
  })
})

describe('a deployment with tokens a minute', () => {
  it('has what goes in and may come out set aside, and then what was used', () => {
    const model = modelOf(deployment('a', { tokensPerMinute: 1600 }))
    const first = next(model)
    expect(takes).toEqual([{ key: 'deployment:a', rpm: 1e12, tpm: 1600, tokens: 150 }])
    size = { input: 1450, output: 0 }
    const second = next(model)
    expect(idOf(second)).toBe('a')
    size = { input: 1, output: 0 }
    expect(idOf(next(model))).toBeNull()
    first?.countedCall?.correctTokens(140)
    first?.countedCall?.correctTokens(0)
    size = { input: 10, output: 0 }
    expect(idOf(next(model))).toBe('a')
    expect(idOf(next(model))).toBeNull()
    // Usage beyond what was reserved counts too.
    second?.countedCall?.correctTokens(3000)
    nowMs = 59_999
    expect(idOf(next(model))).toBeNull()
  })

  it('has no more set aside for an answer than 4,096, and a sixteenth of its limit', () => {
    size = { input: 10, output: 128_000 }
    next(modelOf(deployment('a', { tokensPerMinute: 1_000_000 })))
    next(modelOf(deployment('b', { tokensPerMinute: 16_000 })))
    size = { input: 10, output: 300 }
    next(modelOf(deployment('c', { tokensPerMinute: 16_000 })))
    expect(takes.map(({ tokens }) => tokens)).toEqual([4106, 1010, 310])
  })

  it('takes a smaller call where a larger one has no room', () => {
    const model = modelOf(deployment('a', { tokensPerMinute: 1000 }), deployment('b', { priority: 1 }))
    size = { input: 800, output: 0 }
    expect(ids(model, 2)).toEqual(['a', 'b'])
    size = { input: 100, output: 0 }
    expect(ids(model, 2)).toEqual(['a', 'a'])
  })

  it('takes a call that alone is over its limit, where nothing else was used', () => {
    const model = modelOf(deployment('a', { tokensPerMinute: 50 }))
    expect(ids(model, 2)).toEqual(['a', null])
  })

  it('does not get from an old minute what was not used in it', () => {
    const model = modelOf(deployment('a', { tokensPerMinute: 200 }))
    const first = next(model)
    nowMs = 60_000
    next(model)
    first?.countedCall?.correctTokens(0)
    expect(idOf(next(model))).toBeNull()
  })
})

describe('where no deployment has room', () => {
  it('the time until the first minute is over is told', () => {
    const model = modelOf(deployment('a', { requestsPerMinute: 1 }), deployment('b', { requestsPerMinute: 1, priority: 1 }))
    next(model)
    nowMs = 20_500
    next(model)
    expect(next(model)).toBeNull()
    expect(refusal(model)).toMatchObject({
      ...{ condition: 'unavailable', status: 503, retryAfter: 40, detail: 'every deployment is at its limit' },
    })
    nowMs += 40_000
    expect(idOf(next(model))).toBe('a')
  })

  it('a minute that ends while it is asked about is waited for as briefly as it takes', () => {
    const model = modelOf(deployment('a', { requestsPerMinute: 1 }))
    const none = { limit: 1, remaining: 0, resetMs: 0 }
    limiter.take = () => ({ requests: none, tokens: none, full: 'requests' })
    expect(next(model)).toBeNull()
    expect(refusal(model)).toMatchObject({ retryAfter: 1, detail: 'every deployment is at its limit' })
  })

  it('one that is held, or whose breaker stays open for longer, is not promised', () => {
    const full = { requestsPerMinute: 1 }
    const model = modelOf(deployment('a', full), deployment('b', { ...full, held: true }), deployment('c', { priority: 1 }))
    next(model)
    ports.breakers.take('c').recordFailure()
    expect(next(model)).toBeNull()
    expect(refusal(model).retryAfter).toBe(5)
    expect(refusal(modelOf(...model.deployments.slice(0, 2))).retryAfter).toBe(60)
  })
})

describe('without limits of a minute', () => {
  it('nothing is counted, measured or waited for', () => {
    const never = () => {
      throw new Error('nobody asked for this')
    }
    const model = modelOf(deployment('a', { requestsPerMinute: null, tokensPerMinute: null }), deployment('b'))
    const route = chooseDeployment(model, [], never, ports)
    expect(route).toMatchObject({ deployment: { id: 'a' }, countedCall: null })
    expect(takes).toEqual([])
  })
})

describe('where whoever counts has to be asked', () => {
  beforeEach(() => open({ later: true }))

  it('the next one is chosen after the answer', async () => {
    const model = modelOf(deployment('a', { requestsPerMinute: 2 }), deployment('b', { priority: 1 }))
    const routes = await Promise.all(Array.from({ length: 5 }, () => chooseDeployment(model, [], sizeOf, ports)))
    expect(routes.map(idOf)).toEqual(['a', 'a', 'b', 'b', 'b'])
  })

  it('a call keeps its place among those under way meanwhile, and gives it back where there is no room', async () => {
    const model = modelOf(deployment('a', { requestsPerMinute: 3, concurrency: 1 }), deployment('b', { priority: 1 }))
    const both = await Promise.all([chooseDeployment(model, [], sizeOf, ports), chooseDeployment(model, [], sizeOf, ports)])
    expect(both.map(idOf)).toEqual(['a', 'b'])
    both[0]?.releaseSlot?.()
    const third = await chooseDeployment(model, [], sizeOf, ports)
    third?.releaseSlot?.()
    const fourth = await chooseDeployment(model, [], sizeOf, ports)
    fourth?.releaseSlot?.()
    expect([third, fourth].map(idOf)).toEqual(['a', 'a'])
    expect(idOf(await chooseDeployment(model, [], sizeOf, ports))).toBe('b')
    expect(ports.callSlots?.isFull(model.deployments[0] as Deployment)).toBe(false)
  })

  it('one probe of an open breaker goes at a time, and one that had no room lets the next one find out', async () => {
    const model = modelOf(deployment('a', { requestsPerMinute: 1 }), deployment('b', { priority: 1 }))
    ports.breakers.take('a').recordFailure()
    nowMs = 5000
    const both = await Promise.all([chooseDeployment(model, [], sizeOf, ports), chooseDeployment(model, [], sizeOf, ports)])
    expect(both.map(idOf)).toEqual(['a', 'b'])
    both[0]?.pass?.release()
    expect(idOf(await chooseDeployment(model, [], sizeOf, ports))).toBe('b')
    nowMs = 65_000
    expect(idOf(await chooseDeployment(model, [], sizeOf, ports))).toBe('a')
  })

  it('a call gives back its place and its probe where there is no answer', async () => {
    const model = modelOf(deployment('a', { requestsPerMinute: 2, concurrency: 1 }))
    ports.breakers.take('a').recordFailure()
    nowMs = 5000
    const { take } = limiter
    limiter.take = () => Promise.reject(new Error('whoever counts is gone'))
    await expect(chooseDeployment(model, [], sizeOf, ports)).rejects.toThrow('gone')
    limiter.take = take
    expect(idOf(await chooseDeployment(model, [], sizeOf, ports))).toBe('a')
  })

  it('a small call that had no room is told so, also where a larger one was answered with it', async () => {
    const model = modelOf(deployment('a', { tokensPerMinute: 1000 }))
    size = { input: 1000, output: 0 }
    await chooseDeployment(model, [], sizeOf, ports)
    const refusalOf = async (input: number) => {
      const sized = () => ({ input, output: 0 })
      expect(await chooseDeployment(model, [], sized, ports)).toBeNull()
      return refuseNoDeployment(model, sized, ports)
    }
    for (const { retryAfter, detail } of await Promise.all([refusalOf(10), refusalOf(500)]))
      expect({ retryAfter, detail }).toEqual({ retryAfter: 60, detail: 'every deployment is at its limit' })
  })
})
