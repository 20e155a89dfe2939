import { expect, it } from 'vitest'
import { Backlog } from './backlog.ts'

it('knows how much waits and since when', () => {
  let now = 0
  const backlog = new Backlog(() => now)
  expect([backlog.count, backlog.oldestMs]).toEqual([0, 0])
  for (const at of [10, 20, 30]) {
    now = at
    backlog.begin()
  }
  now = 100
  expect([backlog.count, backlog.oldestMs]).toEqual([3, 90])
  backlog.end()
  expect([backlog.count, backlog.oldestMs]).toEqual([2, 80])
  backlog.end()
  backlog.end()
  expect([backlog.count, backlog.oldestMs]).toEqual([0, 0])
})

it('forgets what is done, however long it is never empty', () => {
  const backlog = new Backlog(() => 0)
  backlog.begin()
  for (let n = 0; n < 25_000; n++) {
    backlog.begin()
    backlog.end()
  }
  expect(backlog.count).toBe(1)
})
