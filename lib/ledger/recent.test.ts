import { expect, it } from 'vitest'
import { RecentRows } from './recent.ts'
import { rowBytes, type SettlementRow } from './settlement-row.ts'

const row = (receipt: string): SettlementRow => ({ receipt, trace: '[]', item: { answer: null } }) as unknown as SettlementRow

it('keeps no more than its room, even of what came within one moment', () => {
  const recent = new RecentRows({ lifeMs: 60_000, maxBytes: 240_000 })
  for (let n = 0; n < 1000; n++) recent.add(row('x'.repeat(998)), 0)
  const bytes = recent.all().reduce((sum, kept) => sum + rowBytes(kept), 0)
  expect(bytes).toBeLessThanOrEqual(270_000)
  expect(bytes).toBeGreaterThan(180_000)
})

it('forgets what is older than its life', () => {
  const recent = new RecentRows({ lifeMs: 60_000, maxBytes: 80_000 })
  recent.add(row('old'), 0)
  recent.add(row('young'), 50_000)
  recent.add(row('new'), 70_000)
  expect(recent.all().map((kept) => kept.receipt)).toEqual(['young', 'new'])
})
