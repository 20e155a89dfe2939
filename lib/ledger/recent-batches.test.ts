import { expect, it } from 'vitest'
import type { Batch } from './ports.ts'
import { RecentBatches } from './recent-batches.ts'

const batch = (name: string, bytes: number): Batch => ({
  records: name,
  draws: '',
  undrawn: '{}',
  voids: [],
  answers: [],
  bytes,
})

it('keeps no more than its room, even of what came within one moment', () => {
  const recent = new RecentBatches({ maxBytes: 8_000 })
  for (let n = 0; n < 1000; n++) recent.add(batch('x', 100), 0)
  const bytes = recent.all().reduce((sum, kept) => sum + kept.bytes, 0)
  expect(bytes).toBeLessThanOrEqual(9_000)
  expect(bytes).toBeGreaterThan(6_000)
})

it('forgets what it is told to, and nothing by age alone', () => {
  const recent = new RecentBatches({ maxBytes: 8_000 })
  const kept = () => recent.all().map(({ records }) => records)
  recent.add(batch('old', 3), 0)
  recent.add(batch('younger', 5), 50_000)
  recent.add(batch('of the same five seconds', 3), 54_000)
  recent.add(batch('new', 3), 700_000)
  expect(kept()).toEqual(['old', 'younger', 'of the same five seconds', 'new'])
  recent.forget(53_000)
  expect(kept()).toEqual(['younger', 'of the same five seconds', 'new'])
  recent.forget(55_000)
  expect(kept()).toEqual(['new'])
})

it('has room again for what it forgot', () => {
  const recent = new RecentBatches({ maxBytes: 8_000 })
  for (let n = 0; n < 10; n++) {
    recent.add(batch('x', 7_000), n * 10_000)
    recent.forget(n * 10_000)
  }
  expect(recent.all()).toHaveLength(1)
})

it('keeps what was posted again as if it were new', () => {
  const recent = new RecentBatches({ maxBytes: 8_000 })
  recent.add(batch('old', 3), 0)
  recent.renew(600_000)
  recent.forget(540_000)
  expect(recent.all()).toHaveLength(1)
  recent.forget(700_000)
  expect(recent.all()).toHaveLength(0)
})
