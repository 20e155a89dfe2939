import { expect, it } from 'vitest'
import { RecentRows } from './recent.ts'

it('keeps no more than its room, even of what came within one moment', () => {
  const recent = new RecentRows({ lifeMs: 60_000, maxBytes: 8_000 })
  for (let n = 0; n < 1000; n++) recent.add('x'.repeat(100), 0)
  const bytes = recent.all().join('').length
  expect(bytes).toBeLessThanOrEqual(9_000)
  expect(bytes).toBeGreaterThan(6_000)
})

it('forgets what is older than its life', () => {
  const recent = new RecentRows({ lifeMs: 60_000, maxBytes: 8_000 })
  recent.add('old', 0)
  recent.add('young', 50_000)
  recent.add('new', 70_000)
  expect(recent.all()).toEqual(['young', 'new'])
})
