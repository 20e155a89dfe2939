import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LagMonitor } from './event-loop-lag.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('says how late the event loop is, smoothed, and forgets it in a few steps', () => {
  let stalledMs = 0
  const watch = new LagMonitor(() => performance.now() + stalledMs)
  vi.advanceTimersByTime(500)
  expect(watch.lagMs).toBe(0)
  stalledMs += 600
  vi.advanceTimersByTime(50)
  expect(watch.lagMs).toBe(300)
  stalledMs += 600
  vi.advanceTimersByTime(50)
  expect(watch.lagMs).toBe(450)
  vi.advanceTimersByTime(300)
  expect(watch.lagMs).toBeLessThan(10)
  watch.stop()
})
