import { describe, expect, it } from 'vitest'
import type { RequestRow } from '#lib/contracts/requests'
import { appendPage, countNew, type Listed, mergeFirstPage } from './merge-rows.ts'

const row = (number: number, status = 200): RequestRow => ({
  id: `req_${String(number).padStart(4, '0')}`,
  at: new Date(1_760_000_000_000 + number * 1000).toISOString(),
  model: 'm',
  keyId: 'key_1',
  keyName: 'k',
  endpoint: 'chat',
  stream: false,
  status,
  outcome: 'finished',
  errorCode: null,
  inputUnits: 1,
  outputUnits: 1,
  pieces: null,
  tookMs: 1,
  chargedNano: '1',
})
const page = (from: number, to: number, next: string | null): Listed => ({
  rows: Array.from({ length: from - to + 1 }, (_, index) => row(from - index)),
  next,
  lookedTo: null,
})
const ids = (listed: Listed) => listed.rows.map((one) => Number(one.id.slice(4)))

describe('mergeFirstPage', () => {
  it('keeps what was loaded further down', () => {
    const listed = appendPage(page(20, 16, 'req_0016'), page(15, 11, 'req_0011'))
    const merged = mergeFirstPage(listed, page(22, 18, 'req_0018'))
    expect(ids(merged)).toEqual([22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11])
    expect(merged.next).toBe('req_0011')
  })
  it('starts again rather than leave a gap', () => {
    const merged = mergeFirstPage(page(20, 16, 'req_0016'), page(40, 36, 'req_0036'))
    expect(ids(merged)).toEqual([40, 39, 38, 37, 36])
    expect(merged.next).toBe('req_0036')
  })
  it('takes the first page of an empty list', () => {
    expect(mergeFirstPage({ rows: [], next: null, lookedTo: null }, page(2, 1, null))).toEqual(page(2, 1, null))
    expect(mergeFirstPage(null, page(2, 1, null))).toEqual(page(2, 1, null))
  })
  it('takes in a row that finished late, between others', () => {
    const listed = { rows: [row(5), row(3)], next: null, lookedTo: null }
    expect(ids(mergeFirstPage(listed, page(5, 3, null)))).toEqual([5, 4, 3])
  })
})

describe('countNew', () => {
  it('counts what came in above the list, and nothing that is older', () => {
    expect(countNew(page(20, 16, null), page(23, 19, 'req_0019'))).toBe(3)
    expect(countNew(page(20, 16, null), page(20, 16, null))).toBe(0)
    // One that began earlier and ended later belongs below the newest.
    expect(countNew(page(20, 18, null), { ...page(20, 20, null), rows: [row(20), row(17)] })).toBe(0)
    expect(countNew(page(0, 1, null), page(2, 1, null))).toBe(2)
  })
})
