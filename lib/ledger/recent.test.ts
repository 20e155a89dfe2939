import { expect, it } from 'vitest'
import type { Batch } from './ports.ts'
import { RecentBatches } from './recent.ts'

const batch = (name: string, bytes: number): Batch => ({
  records: name,
  draws: '',
  undrawn: '{}',
  voids: [],
  answers: [],
  bytes,
})

it('keeps no more than its room, even of what came within one moment', () => {
  const recent = new RecentBatches({ lifeMs: 60_000, maxBytes: 8_000 })
  for (let n = 0; n < 1000; n++) recent.add(batch('x', 100), 0)
  const bytes = recent.all().reduce((sum, kept) => sum + kept.bytes, 0)
  expect(bytes).toBeLessThanOrEqual(9_000)
  expect(bytes).toBeGreaterThan(6_000)
})

it('forgets what is older than its life', () => {
  const recent = new RecentBatches({ lifeMs: 60_000, maxBytes: 8_000 })
  recent.add(batch('old', 3), 0)
  recent.add(batch('young', 5), 50_000)
  recent.add(batch('new', 3), 70_000)
  expect(recent.all().map((kept) => kept.records)).toEqual(['young', 'new'])
})
