import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Refusal } from '../domain/errors.ts'
import type { Attempt } from '../domain/settlement.ts'
import { type FailureKind, VendorFailure } from '../vendors/vendor.ts'
import { RunningAttempt } from './attempt.ts'
import type { Pass } from './breaker.ts'
import type { Route } from './choose-deployment.ts'
import type { Exchange } from './exchange.ts'
import type { GatewayPorts } from './ports.ts'
import { NO_TRAFFIC } from './testing.ts'

let nowMs = 0
let calls: string[] = []
const exchange = { trace: [] as Attempt[], clientGone: false, recordVendorCall: () => undefined }
const pass = {
  recordStart: () => calls.push('begun'),
  recordSuccess: () => calls.push('well'),
  recordFailure: () => calls.push('failed'),
  recordLimit: (ms: number) => calls.push(`limited ${ms}`),
  release: () => calls.push('released'),
} as unknown as Pass
const route = { deployment: { id: 'dep_1', upstreamModel: 'm', connection: { name: 'Box' } }, pass } as unknown as Route

function run(): RunningAttempt {
  return new RunningAttempt(
    route,
    exchange as unknown as Exchange,
    { ticks: () => nowMs, traffic: NO_TRAFFIC } as unknown as GatewayPorts,
  )
}
const line = () => exchange.trace[0]
const refusal = new Refusal('vendor_failed', 'x', { detail: 'why' })

beforeEach(() => {
  nowMs = 1000
  calls = []
  Object.assign(exchange, { trace: [], clientGone: false })
})

describe('what an attempt comes to, in the trace and for the breaker', () => {
  it.each<[FailureKind, string, string]>([
    ['unreachable', 'unreachable', 'failed'],
    ['timed_out', 'timed_out', 'failed'],
    ['cut', 'broken', 'failed'],
    ['misconfigured', 'misconfigured', 'failed'],
    // Nothing was sent, so nothing was learned.
    ['over_cap', 'misconfigured', 'released'],
  ])('a failure of the kind %s is %s', (kind, result, verdict) => {
    run().fail(refusal, new VendorFailure(kind, 'CODE'))
    expect(line()).toMatchObject({ status: null, result, detail: 'CODE' })
    expect(calls).toEqual([verdict])
  })

  it.each([
    ...[400, 413, 415, 422].map((status) => [status, 'refused', 'well'] as const),
    ...[401, 402, 403, 404, 408, 409, 500, 502, 503, 504, 529, 204, 205, 301].map(
      (status) => [status, 'failed', 'failed'] as const,
    ),
    [429, 'limited', 'limited 7000'] as const,
  ])('%s is %s', (status, result, verdict) => {
    const attempt = run()
    attempt.recordStatus(status)
    attempt.fail(new Refusal('unavailable', 'x', { detail: 'why', retryAfter: 7 }), null)
    expect(line()).toMatchObject({ status, result, detail: null })
    expect(calls).toEqual([verdict])
  })

  it('an error that nobody knows is the fault of the deployment', () => {
    run().fail(null, new Error('x'))
    expect(line()).toMatchObject({ result: 'broken', detail: 'unknown' })
    expect(calls).toEqual(['failed'])
  })

  it.each([200, 201, 203, 206])('an answer that broke off is one, though its status was good: %s', (status) => {
    const attempt = run()
    attempt.recordStatus(status)
    attempt.fail(refusal, null)
    expect(line()).toMatchObject({ status, result: 'broken', detail: 'why' })
    expect(calls).toEqual(['failed'])
  })

  it('an answer that the model could not give to this request says nothing of others', () => {
    const attempt = run()
    attempt.recordStatus(200)
    attempt.fail(refusal, null, true)
    expect(line()).toMatchObject({ status: 200, result: 'broken', detail: 'why' })
    expect(calls).toEqual(['well'])
  })

  it('an answer that was read to its end is one, whatever comes after it, and took until then', () => {
    const attempt = run()
    attempt.recordStatus(200)
    nowMs += 25.04
    attempt.complete()
    nowMs += 1000
    attempt.fail(refusal, null)
    attempt.abort()
    expect(line()).toMatchObject({ status: 200, result: 'answered', detail: null, tookMs: 25 })
    expect(calls).toEqual(['well'])
    expect(attempt.signal.aborted, 'what comes after the end is not waited for').toBe(true)
  })

  it('a client that left says nothing of the deployment, even if the call failed for it', () => {
    const attempt = run()
    exchange.clientGone = true
    attempt.fail(refusal, new VendorFailure('cut', 'UND_ERR_ABORTED'))
    expect(line()).toMatchObject({ result: 'left', detail: null })
    expect(calls).toEqual(['released'])
    expect(attempt.signal.aborted).toBe(true)
  })

  it('one whose time is over is told as that', () => {
    vi.useFakeTimers()
    const attempt = run()
    attempt.setTimeLimit(50)
    attempt.setTimeLimit(500)
    vi.advanceTimersByTime(499)
    expect(attempt.signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    vi.useRealTimers()
    expect({ late: attempt.timedOut, aborted: attempt.signal.aborted }).toEqual({ late: true, aborted: true })
    attempt.fail(refusal, new VendorFailure('cut', 'UND_ERR_ABORTED'))
    expect(line()?.result).toBe('timed_out')
    expect(calls).toEqual(['failed'])
  })
})
