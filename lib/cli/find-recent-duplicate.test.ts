import { expect, it } from 'vitest'
import { HOUR_MS } from '../domain/time-units.ts'
import { findRecentDuplicate, PAGE_ROWS } from './find-recent-duplicate.ts'

const NOW = new Date('2026-11-26T12:00:00Z')

/** Rows one minute apart, newest first. Those in `same` are the same as what was requested. */
function rowsOf(count: number, same: number[]) {
  const rows = Array.from({ length: count }, (_, id) => ({
    id,
    createdAt: new Date(NOW.getTime() - id * 60_000),
    isSame: same.includes(id),
  }))
  const page = async (last: (typeof rows)[number] | null) => {
    const from = last === null ? 0 : last.id + 1
    return rows.slice(from, from + PAGE_ROWS)
  }
  return findRecentDuplicate(page, ({ isSame }) => isSame, NOW)
}

it('finds the newest one that is the same, behind many others too', async () => {
  expect(await rowsOf(3, [1, 2])).toEqual(new Date(NOW.getTime() - 60_000))
  expect(await rowsOf(1000, [950])).toEqual(new Date(NOW.getTime() - 950 * 60_000))
})

it('finds none where there is none, and none that is a day old', async () => {
  expect(await rowsOf(0, [])).toBeNull()
  expect(await rowsOf(PAGE_ROWS, [])).toBeNull()
  expect(await rowsOf(2000, [(24 * HOUR_MS) / 60_000])).toBeNull()
})
