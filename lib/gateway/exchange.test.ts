import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Rates } from '../domain/price.ts'
import type { Settlement, SettlementResult } from '../domain/settlement.ts'
import { NO_USAGE, type Usage } from '../domain/usage.ts'
import type { Authenticated } from './authenticate.ts'
import type { Ending } from './ending.ts'
import { Exchange } from './exchange.ts'
import type { LimitState } from './limits/ports.ts'
import type { GatewayPorts } from './ports.ts'
import type { Received } from './receive.ts'
import { NO_TRAFFIC } from './testing.ts'

const RATES: Rates = { input: 1_000_000n, output: 1_000_000n }
const USED: Usage = { ...NO_USAGE, input: 10n, output: 5n, requests: 1n }
const ENDING: Ending = { outcome: 'finished', status: 200, usage: USED, certainty: { exact: true } }
const ANSWER = { status: 200, headers: {}, body: Buffer.from('x') }
const LIMITS = { rpm: 10, tpm: 1000 }

let ticks = 0
const effects = {
  left: 0,
  room: 0,
  held: [] as bigint[],
  released: 0,
  corrected: [] as number[],
  disposed: 0,
  kept: [] as unknown[],
}
let release: () => Promise<void>
const settle = vi.fn<(item: Settlement) => Promise<SettlementResult>>()

const bodies: GatewayPorts['bodies'] = {
  take(_account, bytes) {
    effects.room += bytes
  },
  release(_account, bytes) {
    effects.room -= bytes
  },
}

/** An exchange that has its place, its hold and its claim. */
function exchange(
  rates: { rates: Rates; vendorRates: Rates } = { rates: RATES, vendorRates: RATES },
  keepHistory = true,
): Exchange {
  const quota = { limit: 1000, remaining: 500, resetMs: 60_000 }
  const state: LimitState = { requests: quota, tokens: quota, full: null }
  const ports = {
    ticks: () => ticks,
    enterCaller: () => () => effects.left++,
    settle,
    bodies,
    limiter: {
      take: async () => state,
      correct: (_key: string, _limits: object, tokens: number) => effects.corrected.push(tokens),
    },
    idempotency: {
      release: async () => {
        await release()
        effects.released++
      },
    },
    history: {
      save: (_id: string, _at: Date, _account: string, _bytes: number, said: () => string) =>
        effects.kept.push(JSON.parse(said())),
    },
    observe: () => undefined,
    traffic: NO_TRAFFIC,
    catalog: () => ({ models: new Map() }),
    log: { info() {}, warn() {}, error() {} },
  } as unknown as GatewayPorts
  const request = new Request('http://gateway/v1/chat/completions')
  const created = new Exchange(
    { id: 'req_1', request, at: new Date(0), startedMs: 0 } as unknown as Received,
    'chat.completions',
    ports,
  )
  created.setSender({
    caller: { keyId: 'key_1', accountId: 'acc_1', keepHistory },
    group: { id: 'grp_1', name: 'g', multiplierBp: 10_000n },
  } as Authenticated)
  created.pinPrice({ id: 'prc_1', from: new Date(0), ...rates })
  void created.enter({ accountId: 'acct_1', keyId: 'key_1' })
  created.setClaim('order-1')
  created.resources.setFiles(async () => void effects.disposed++)
  created.resources.takeBodyBytes('acc_1', 100)
  created.resources.takeBodyBytes('acc_1', 20)
  created.setHold({ amount: 100n, leaseId: 'l', budgets: [], budgetLeases: [], end: (spent) => effects.held.push(spent) })
  return created
}

beforeEach(() => {
  ticks = 0
  Object.assign(effects, { left: 0, room: 0, held: [], released: 0, corrected: [], disposed: 0, kept: [] })
  release = async () => undefined
  settle.mockReset()
  settle.mockImplementation(async ({ id }) => ({ id, fresh: true, charged: 15n, shortfall: 0n, balance: 0n, recall: false }))
})

describe('whatever happens at its end, an exchange gives back what it took', () => {
  it('when it is settled; the claim stays with its answer', async () => {
    await exchange().end({ ...ENDING, answer: ANSWER })
    expect(effects).toMatchObject({ left: 1, held: [15n], released: 0, disposed: 1, room: 0 })
  })

  it('when it cannot be priced', async () => {
    const ending = exchange({ rates: RATES, vendorRates: {} }).end({ ...ENDING, answer: ANSWER })
    await expect(ending).rejects.toMatchObject({ code: 'unpriced_unit' })
    expect(effects).toMatchObject({ left: 1, held: [0n], released: 1, disposed: 1, room: 0 })
  })

  it('when the database refuses it: its idempotency key can be used again, there is no answer to repeat', async () => {
    settle.mockRejectedValue(new Error('refused'))
    await expect(exchange().end({ ...ENDING, answer: ANSWER })).rejects.toThrow('refused')
    expect(effects).toMatchObject({ left: 1, held: [0n], released: 1, disposed: 1, room: 0 })
  })
})

it('ends when its Idempotency-Key is free: who repeats at once is not told that it is still running', async () => {
  let free: () => void = () => undefined
  release = () =>
    new Promise((resolve) => {
      free = resolve
    })
  let ended = false
  const ending = exchange()
    .end({ ...ENDING, outcome: 'vendor_failed', status: 500, usage: NO_USAGE })
    .then(() => {
      ended = true
    })
  await new Promise(setImmediate)
  expect(ended).toBe(false)
  free()
  await ending
  expect(effects.released).toBe(1)
})

it('is kept in the history with its answer, unless its key or account keeps none', async () => {
  for (const keeps of [true, false]) {
    const created = exchange(undefined, keeps)
    created.setHistoryRequest(() => '{"input":"Hi"}', 20)
    await created.end({ ...ENDING, toAnswerJson: () => 'Hello' })
    expect(effects.kept).toEqual([{ request: { input: 'Hi' }, answer: 'Hello' }])
  }
})

it('its files go when it ends, not when its charge is durable; and once, though it may go out twice', async () => {
  const created = exchange()
  let recorded: () => void = () => undefined
  settle.mockImplementation(
    ({ id }) =>
      new Promise((resolve) => {
        recorded = () => resolve({ id, fresh: true, charged: 15n, shortfall: 0n, balance: 0n, recall: false })
      }),
  )
  const ending = created.end(ENDING)
  expect(effects).toMatchObject({ disposed: 1, left: 0 })
  recorded()
  await ending
  created.endUnrecorded()
  expect(effects.disposed).toBe(1)
  expect(exchange().endUnrecorded().ended).toBe(true)
  expect(effects.disposed).toBe(2)
})

describe('tokens that were counted and not used', () => {
  it('are told to the minute of the deployment that was called last', async () => {
    const created = exchange()
    const used: number[] = []
    await created.minute.take('key_test', LIMITS, 500)
    created.countedCall = { countRequests: () => undefined, correctTokens: (tokens) => used.push(tokens) }
    await created.end(ENDING)
    expect(used).toEqual([15])
  })

  it('are given back to their window', async () => {
    const created = exchange()
    await created.minute.take('key_test', LIMITS, 500)
    await created.end(ENDING)
    expect(effects.corrected).toEqual([-485])
  })

  it('but are no gift to the next one', async () => {
    const created = exchange()
    await created.minute.take('key_test', LIMITS, 500)
    ticks = 60_001
    await created.end(ENDING)
    expect(effects.corrected).toEqual([])
  })

  it('while what was used beyond them counts whenever it is known', async () => {
    const created = exchange()
    await created.minute.take('key_test', LIMITS, 5)
    ticks = 60_001
    await created.end(ENDING)
    expect(effects.corrected).toEqual([10])
  })
})
