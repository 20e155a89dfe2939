import { DAY_MS } from '../domain/time-units.ts'

/** The number of rows that are read at a time. */
export const PAGE_ROWS = 100

/**
 * When exactly the same was done within a day before `now`, which can mean that it was requested twice by mistake; null if it was
 * not. `readPage` reads PAGE_ROWS rows, newest first, after the last row of the previous page.
 */
export async function findRecentDuplicate<Row extends { createdAt: Date }>(
  readPage: (last: Row | null) => Promise<Row[]>,
  isDuplicate: (row: Row) => boolean,
  now: Date,
): Promise<Date | null> {
  for (let last: Row | null = null; ; ) {
    const rows: Row[] = await readPage(last)
    for (const row of rows) {
      if (now.getTime() - row.createdAt.getTime() >= DAY_MS) return null
      if (isDuplicate(row)) return row.createdAt
    }
    last = rows.at(-1) ?? null
    if (rows.length < PAGE_ROWS || last === null) return null
  }
}
