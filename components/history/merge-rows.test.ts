import { describe, expect, it } from 'vitest'
import type { RequestRow } from '#lib/contracts/requests'
import { appendPage, countNew, isSamePage, type LoadedRequests, mergeFirstPage } from './merge-rows.ts'

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
  quota: null,
  inputUnits: 1,
  outputUnits: 1,
  pieces: null,
  tookMs: 1,
  chargedNano: '1',
})
const timeOf = (number: number) => row(number).at
/** A page that was read just after its newest row. */
const page = (from: number, to: number, next: string | null): LoadedRequests => ({
  rows: Array.from({ length: from - to + 1 }, (_, index) => row(from - index)),
  next,
  lookedTo: null,
  asOf: timeOf(from),
})
/** A page with few matches, searched down to a row that is not one of them. */
const rare = (numbers: number[], lookedTo: number, readAt: number): LoadedRequests => ({
  rows: numbers.map((number) => row(number)),
  next: row(lookedTo).id,
  lookedTo: timeOf(lookedTo),
  asOf: timeOf(readAt),
})
const ids = (listed: LoadedRequests) => listed.rows.map((one) => Number(one.id.slice(4)))

describe('mergeFirstPage', () => {
  it('keeps what was loaded further down', () => {
    const listed = appendPage(page(20, 16, 'req_0016'), 'req_0016', page(15, 11, 'req_0011'))
    const merged = mergeFirstPage(listed, page(22, 18, 'req_0018'))
    expect(ids(merged)).toEqual([22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11])
    expect(merged).toMatchObject({ next: 'req_0011', asOf: timeOf(22) })
  })
  it('starts again rather than leave a gap', () => {
    const merged = mergeFirstPage(page(20, 16, 'req_0016'), page(40, 36, 'req_0036'))
    expect(ids(merged)).toEqual([40, 39, 38, 37, 36])
    expect(merged.next).toBe('req_0036')
  })
  it('takes the first page of an empty list', () => {
    const empty = { rows: [], next: null, lookedTo: null, asOf: timeOf(0) }
    expect(mergeFirstPage(empty, page(2, 1, null))).toEqual(page(2, 1, null))
    expect(mergeFirstPage(null, page(2, 1, null))).toEqual(page(2, 1, null))
  })
  it('takes in a row that finished late, between others', () => {
    const listed = { rows: [row(5), row(3)], next: null, lookedTo: null, asOf: timeOf(5) }
    expect(ids(mergeFirstPage(listed, page(5, 3, null)))).toEqual([5, 4, 3])
  })
  it('keeps how far was looked, whether anything was found there or not', () => {
    const none = appendPage(rare([], 500, 900), 'req_0500', rare([], 200, 905))
    expect(mergeFirstPage(none, rare([], 510, 910))).toEqual({ ...none, asOf: timeOf(910) })
    const found = appendPage(rare([], 500, 900), 'req_0500', rare([300], 200, 905))
    const merged = mergeFirstPage(found, rare([909], 510, 910))
    expect(ids(merged)).toEqual([909, 300])
    expect(merged).toMatchObject({ next: 'req_0200', lookedTo: timeOf(200) })
    const ended = appendPage(rare([700], 500, 900), 'req_0500', { ...page(9, 8, null), asOf: timeOf(905) })
    expect(mergeFirstPage(ended, rare([700], 510, 910))).toMatchObject({ next: null, lookedTo: null })
  })
  it('looks anew where more came in than a look takes', () => {
    const listed = appendPage(rare([], 500, 900), 'req_0500', rare([300], 200, 905))
    expect(mergeFirstPage(listed, rare([], 950, 1400))).toEqual(rare([], 950, 1400))
  })
})

describe('appendPage', () => {
  it('adds what was read from the end on, and leaves a list alone that ends elsewhere by then', () => {
    const listed = page(9, 8, 'req_0008')
    const late = page(7, 6, 'req_0006')
    expect(ids(appendPage(listed, 'req_0008', late))).toEqual([9, 8, 7, 6])
    const startedAgain = mergeFirstPage(listed, page(60, 59, 'req_0059'))
    expect(appendPage(startedAgain, 'req_0008', late)).toEqual(page(60, 59, 'req_0059'))
  })
})

describe('samePage', () => {
  it('does not mind when a page was read', () => {
    expect(isSamePage(page(9, 8, null), { ...page(9, 8, null), asOf: timeOf(20) })).toBe(true)
    expect(isSamePage(page(9, 8, null), page(9, 7, null))).toBe(false)
    expect(isSamePage(undefined, page(9, 8, null))).toBe(false)
  })
})

describe('countNew', () => {
  it('counts what came in above the list, and nothing that is older', () => {
    expect(countNew(page(20, 16, null), page(23, 19, 'req_0019'))).toBe(3)
    expect(countNew(page(20, 16, null), page(20, 16, null))).toBe(0)
    // A request that began earlier and ended later belongs below the newest.
    expect(countNew(page(20, 18, null), { ...page(20, 20, null), rows: [row(20), row(17)] })).toBe(0)
    expect(countNew(page(0, 1, null), page(2, 1, null))).toBe(2)
  })
})
