import { expect, test } from 'vitest'
import type { Deployment } from '../domain/catalog.ts'
import { RequestTime } from './request-time.ts'

const first = { id: 'dep_1' } as Deployment
const second = { id: 'dep_2' } as Deployment

function started() {
  const clock = { ms: 100 }
  return { clock, time: new RequestTime(100, () => clock.ms) }
}

test('without a vendor all of the time is our own', () => {
  const { clock, time } = started()
  clock.ms = 103.456
  expect(time.vendorCalled).toBe(false)
  expect(time.durations).toEqual({ tookMs: 3.46, ownMs: 3.46, firstTokenMs: null })
  expect(time.calls).toEqual({ deployment: null, startsMs: [], endMs: null })
})

test('what vendors take is none of our own, each of them from its call to its end', () => {
  const { clock, time } = started()
  time.recordVendorCall(101, first)
  clock.ms = 121
  time.recordVendorEnd()
  time.recordVendorCall(123, second)
  clock.ms = 153
  time.recordVendorEnd()
  clock.ms = 160
  expect(time.durations).toEqual({ tookMs: 60, ownMs: 10, firstTokenMs: null })
  expect(time.calls).toEqual({ deployment: second, startsMs: [1, 23], endMs: 53 })
})

test('a vendor that nobody heard the end of has taken the time until the next one, or until now', () => {
  const { clock, time } = started()
  time.recordVendorCall(102, first)
  time.recordVendorCall(112, second)
  clock.ms = 130
  expect(time.durations.ownMs).toBe(2)
  expect(time.calls.endMs).toBeNull()
})

test('the first token and the first end count', () => {
  const { clock, time } = started()
  time.recordVendorCall(100, first)
  clock.ms = 105
  time.recordFirstToken()
  clock.ms = 110
  time.recordFirstToken()
  time.recordVendorEnd()
  clock.ms = 120
  time.recordVendorEnd()
  expect(time.durations).toEqual({ tookMs: 20, ownMs: 10, firstTokenMs: 5 })
})

test('what is counted once nobody waits any more is no time of the request', () => {
  const { clock, time } = started()
  time.recordVendorCall(102, first)
  clock.ms = 150
  time.recordVendorEnd()
  time.stopClock()
  clock.ms = 900
  expect(time.durations).toMatchObject({ tookMs: 50, ownMs: 2 })
})
