import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Connection, Deployment } from '../domain/catalog.ts'
import { mergeBuckets, percentile } from '../domain/histogram.ts'
import type { FinishedRequest } from '../gateway/ports.ts'
import type { TrafficRow } from '../store/traffic-writes.ts'
import { TrafficRecorder } from './traffic-recorder.ts'

const MINUTE = Date.UTC(2026, 10, 22, 10, 7)

const deployment = (id: string, connectionId = 'con_1'): Deployment =>
  ({ id, connection: { id: connectionId, name: connectionId } as Connection }) as Deployment
const ONE = deployment('dep_1')
const TWO = deployment('dep_2', 'con_2')

const request = (given: Partial<FinishedRequest> = {}): FinishedRequest => ({
  modelId: 'm',
  deployment: ONE,
  outcome: 'finished',
  status: 200,
  tokensIn: 10n,
  tokensOut: 5n,
  chargedNano: 75_000n,
  vendorCostNano: 50_000n,
  shortfallNano: 0n,
  firstTokenMs: 100,
  tookMs: 1000,
  callResult: 'answered',
  callFirstMs: 40,
  callMs: 900,
  ...given,
})

let nowMs = MINUTE
let written: { batch: number; rows: TrafficRow[] }[] = []
let faults: unknown[] = []
const onDropped = vi.fn()
const log = { warn: vi.fn(), error: vi.fn() }

function open(): TrafficRecorder {
  return new TrafficRecorder({
    async write(batch, rows) {
      written.push({ batch, rows })
      if (faults.length > 0) throw faults.shift()
    },
    now: () => nowMs,
    isTransient: (error) => (error as Error).message === 'away',
    onDropped,
    log,
  })
}

const row = (grain: string, id: string, span = 'minute', at = 0): TrafficRow | undefined =>
  written.at(-1)?.rows.find((one) => one.grain === grain && one.id === id && one.span === span && one.at.getTime() >= at)

beforeEach(() => {
  vi.useFakeTimers()
  nowMs = MINUTE
  written = []
  faults = []
  vi.clearAllMocks()
})
afterEach(() => vi.useRealTimers())

it('a request is counted for all, its model, the connection and the deployment that answered, by minute and hour', async () => {
  const traffic = open()
  traffic.recordAttempt('m', TWO, 'timed_out', false)
  traffic.recordAttempt('m', ONE, 'answered', true)
  traffic.recordFinished(request())
  await traffic.drain()
  const whole = {
    requests: 1,
    attempts: 2,
    attempt_failures: 1,
    retries: 1,
    vendor_errors: 0,
    charged_nano: 75_000,
    vendor_cost_nano: 50_000,
    input_tokens: 10,
    output_tokens: 5,
  }
  for (const span of ['minute', 'hour']) {
    expect(row('all', '', span)).toMatchObject(whole)
    expect(row('model', 'm', span)).toMatchObject(whole)
    expect(row('deployment', 'dep_1', span)).toMatchObject({ requests: 1, attempts: 1, attempt_failures: 0, retries: 1 })
    expect(row('connection', 'con_2', span)).toMatchObject({ requests: 0, attempts: 1, attempt_failures: 1, retries: 0 })
  }
  expect(row('all', '')?.at).toEqual(new Date(MINUTE))
  expect(row('all', '', 'hour')?.at).toEqual(new Date(Date.UTC(2026, 10, 22, 10)))
})

it('clients’ times are those of models, calls’ times those of deployments', async () => {
  const traffic = open()
  traffic.recordFinished(request())
  await traffic.drain()
  const first = (grain: string, id: string) => percentile(mergeBuckets(row(grain, id)?.first_buckets ?? []), 0.5)
  expect(first('model', 'm')).toBeGreaterThan(90)
  expect(first('deployment', 'dep_1')).toBeLessThan(45)
  expect(row('all', '')).toMatchObject({ firsts: 1, first_ms: 100, answers: 1, took_ms: 1000 })
  expect(row('connection', 'con_1')).toMatchObject({ firsts: 1, first_ms: 40, answers: 1, took_ms: 900 })
})

it('what was refused before a vendor was called has no deployment, and no time', async () => {
  const traffic = open()
  traffic.recordFinished(request({ deployment: null, outcome: 'refused', status: 429, firstTokenMs: null, chargedNano: 0n }))
  traffic.recordFinished(request({ modelId: '', deployment: null, outcome: 'refused', status: 404, firstTokenMs: null }))
  traffic.recordFinished(request({ deployment: null, outcome: 'refused', status: 503, firstTokenMs: null }))
  await traffic.drain()
  expect(row('all', '')).toMatchObject({ requests: 3, client_errors: 2, house_errors: 1, answers: 0, took_buckets: [] })
  expect(row('model', 'm')).toMatchObject({ requests: 2, client_errors: 1, house_errors: 1 })
  expect(written[0]?.rows.map(({ grain }) => grain)).not.toContain('deployment')
  expect(row('model', '')).toBeUndefined()
})

it('is written a second later, once, and again only when something was counted', async () => {
  const traffic = open()
  traffic.recordFinished(request())
  traffic.recordFinished(request())
  expect(written).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(1000)
  expect(written).toHaveLength(1)
  expect(row('all', '')?.requests).toBe(2)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(written).toHaveLength(1)
  traffic.recordFinished(request())
  await vi.advanceTimersByTimeAsync(1000)
  expect(written.map(({ batch }) => batch)).toEqual([1, 2])
  expect(row('all', '')?.requests).toBe(1)
})

it('a batch that was not taken is sent again as it was, under its number, before what came after it', async () => {
  const traffic = open()
  faults = [new Error('away'), new Error('away')]
  traffic.recordFinished(request())
  await vi.advanceTimersByTimeAsync(1000)
  traffic.recordFinished(request())
  await vi.advanceTimersByTimeAsync(2000)
  expect(written.map(({ batch, rows }) => [batch, rows[0]?.requests])).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ])
  await vi.advanceTimersByTimeAsync(1000)
  expect(written.at(-1)?.batch).toBe(2)
  expect(row('all', '')?.requests).toBe(1)
  expect(log.warn).toHaveBeenCalledTimes(2)
})

it('a batch that can never be taken does not stand in the way of the next', async () => {
  const traffic = open()
  faults = [new Error('no such table')]
  traffic.recordFinished(request())
  await vi.advanceTimersByTimeAsync(1000)
  expect(log.error).toHaveBeenCalledTimes(1)
  traffic.recordFinished(request())
  await vi.advanceTimersByTimeAsync(1000)
  expect(written.map(({ batch }) => batch)).toEqual([1, 2])
})

it('draining writes what is there, with what could not be sent before', async () => {
  const traffic = open()
  faults = [new Error('away')]
  traffic.recordFinished(request())
  await vi.advanceTimersByTimeAsync(1000)
  traffic.recordFinished(request({ chargedNano: 1n }))
  await traffic.drain()
  expect(written.map(({ batch }) => batch)).toEqual([1, 1, 2])
  expect(row('all', '')?.charged_nano).toBe(1)
})

it('minutes stay apart, and their hour is one row', async () => {
  const traffic = open()
  faults = [new Error('away')]
  traffic.recordFinished(request())
  await vi.advanceTimersByTimeAsync(1000)
  traffic.recordFinished(request())
  nowMs += 60_000
  traffic.recordFinished(request())
  await vi.advanceTimersByTimeAsync(2000)
  const rows = written.at(-1)?.rows ?? []
  const all = rows.filter(({ grain }) => grain === 'all')
  expect(all.map(({ span, requests }) => [span, requests])).toEqual([
    ['minute', 1],
    ['minute', 1],
    ['hour', 2],
  ])
})

/** The number of requests in all batches together. */
const requestsOfAll = () =>
  written
    .flatMap(({ rows }) => rows)
    .reduce((sum, { grain, span, requests }) => sum + (grain === 'all' && span === 'minute' ? requests : 0), 0)

it('what gathered while the database was away is written in pieces, none of which holds up requests', async () => {
  const traffic = open()
  for (let minute = 0; minute < 30; minute++, nowMs += 60_000)
    for (let at = 0; at < 100; at++) traffic.recordFinished(request({ deployment: deployment(`dep_${at}`) }))
  await vi.advanceTimersByTimeAsync(1000)
  expect(written).toHaveLength(1)
  // Counting goes on while the rest waits.
  traffic.recordFinished(request({ deployment: deployment('dep_99') }))
  await traffic.drain()
  expect(requestsOfAll()).toBe(3001)
  expect(written.map(({ batch }) => batch)).toEqual([1, 2, 3, 4, 5, 6, 7])
  for (const { rows } of written) expect(rows.length).toBeLessThan(3000)
})

it('no more waits than memory has room for; what is known already is counted on', async () => {
  const traffic = open()
  for (let at = 0; at < 10_005; at++) traffic.recordFinished(request({ deployment: deployment(`dep_${at}`) }))
  expect(onDropped).toHaveBeenCalledTimes(5)
  traffic.recordFinished(request({ deployment: deployment('dep_1') }))
  expect(onDropped).toHaveBeenCalledTimes(5)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(log.error).toHaveBeenCalledTimes(1)
  await traffic.drain()
  expect(requestsOfAll()).toBe(10_001)
})
