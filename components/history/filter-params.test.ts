import { describe, expect, it } from 'vitest'
import { filterParamChanges, filterQuery, modelsOf, normalizeQuery, readFilters } from './filter-params.ts'

const read = (query: string) => readFilters(new URLSearchParams(query))

describe('filters in the address', () => {
  it('are read as they were written', () => {
    const filters = {
      model: 'a/b,c',
      status: 'error',
      took: '2000',
      cost: '0.05',
      q: 'two words & more',
      in: 'messages',
    } as const
    expect(read(filterQuery(filters))).toEqual(filters)
    expect(modelsOf(filters)).toEqual(['a/b', 'c'])
  })

  it.each([
    ['status=odd', {}],
    ['cost=much&took=-1&range=2h&stream=maybe', {}],
    ['from=yesterday&q=', {}],
    ['id=req_1&other=1&key=key_1', { key: 'key_1' }],
    ['range=1h&from=2026-11-20T10:00:00.000Z', { from: '2026-11-20T10:00:00.000Z' }],
    ['from=2026-11-20T10:00:00Z&to=2026-11-20T10:00:00Z', { from: '2026-11-20T10:00:00Z' }],
    ['in=messages', {}],
  ])('%s is %o: what cannot be used is left out', (query, filters) => {
    expect(read(query)).toEqual(filters)
  })

  it('have one form', () => {
    expect(normalizeQuery('took=5&model=x&id=req_1')).toBe('model=x&took=5')
    expect(normalizeQuery('model=x&took=5')).toBe('model=x&took=5')
  })

  it('take the place of others, and close the request', () => {
    expect(filterParamChanges({ status: 'ok' })).toMatchObject({ status: 'ok', model: null, q: null, from: null, id: null })
  })
})
