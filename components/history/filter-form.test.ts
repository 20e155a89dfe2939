import { describe, expect, it } from 'vitest'
import { filterFormOf, readFilterForm } from './filter-form.ts'
import { filterQuery, readFilters } from './filter-params.ts'

const filters = {
  ...{ model: 'a,b', key: 'key_1', status: 'error', endpoint: 'embeddings', stream: 'yes', code: 'server_error' },
  ...{ from: '2026-11-20T10:00:30.123Z', to: '2026-11-20T11:00:00.000Z', cost: '0.05', took: '2500', q: 'word' },
}
const read = (change: object, before = filters) => readFilterForm({ ...filterFormOf(before), ...change }, before)

describe('the form with all filters', () => {
  it('changes nothing that was not changed, seconds that it does not show included', () => {
    expect(read({})).toEqual({ filters })
    expect(read({}, {} as typeof filters)).toEqual({ filters: {} })
  })

  it('reads amounts and seconds as people write them', () => {
    expect(read({ cost: '$1,000.50', took: '1,000.5', code: ' x ' })).toMatchObject({
      filters: { cost: '1000.5', took: '1000500', code: 'x' },
    })
  })

  it('writes as many models as may be chosen, and the address takes them, however long their names are', () => {
    const models = Array.from({ length: 20 }, (_, at) => `vendor/${String(at).padStart(193, 'm')}`)
    const found = read({ models })
    if ('faults' in found) throw new Error('refused')
    expect(readFilters(new URLSearchParams(filterQuery(found.filters))).model).toBe(models.join(','))
  })

  it('takes out what is emptied', () => {
    const found = read({ cost: '', took: '', from: '', models: [], stream: '' })
    expect(found).toEqual({
      filters: { key: 'key_1', status: 'error', endpoint: 'embeddings', code: 'server_error', to: filters.to, q: 'word' },
    })
  })

  it('lets given times take the place of a range', () => {
    const before = { range: '1h' } as unknown as typeof filters
    expect(read({}, before)).toEqual({ filters: { range: '1h' } })
    expect(read({ from: '2026-11-20T10:00' }, before)).toEqual({ filters: { from: new Date('2026-11-20T10:00').toISOString() } })
  })

  it.each([
    [{ cost: 'much' }, { cost: 'amount' }],
    [{ took: '-1' }, { took: 'seconds' }],
    [{ took: 'x' }, { took: 'seconds' }],
    [
      { cost: '0,05', took: '1,5' },
      { cost: 'amount', took: 'seconds' },
    ],
    [{ models: Array.from({ length: 21 }, (_, at) => `m${at}`) }, { models: 'models' }],
    [{ from: '2026-11-21T10:00', to: '2026-11-20T10:00' }, { to: 'order' }],
  ])('%o is wrong: %o', (change, faults) => {
    expect(read(change)).toEqual({ faults })
  })
})
