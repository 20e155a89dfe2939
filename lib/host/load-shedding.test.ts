import { expect, it } from 'vitest'
import type { Settlement, SettlementResult } from '../domain/settlement.ts'
import { Backlog } from './backlog.ts'
import { trackPosts } from './load-shedding.ts'

const item = (more: object = {}) => ({ id: 'req_1', receipt: null, answer: null, void: false, ...more }) as unknown as Settlement

it('while much waits for the database, records of what cost nothing are dropped, and charges never are', async () => {
  let dropped = 0
  const posted: Settlement[] = []
  let go = () => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const backlog = new Backlog(() => 0)
  const post = trackPosts({
    backlog,
    onDropped: () => dropped++,
    async post(settlement) {
      posted.push(settlement)
      await gate
      return {} as SettlementResult
    },
  })
  const all = Array.from({ length: 2500 }, () => post(item()))
  expect([posted.length, dropped, backlog.count]).toEqual([2000, 500, 2000])
  for (const more of [{ receipt: {} }, { answer: {} }, { void: true }]) all.push(post(item(more)))
  expect([posted.length, dropped]).toEqual([2003, 500])
  go()
  expect((await Promise.all(all)).filter((settled) => settled === null).length).toBe(500)
  expect(backlog.count).toBe(0)
  await post(item())
  expect([posted.length, dropped]).toEqual([2004, 500])
})
