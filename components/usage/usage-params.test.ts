import { describe, expect, it } from 'vitest'
import { daysOf, exportPath, readUsageParams, reportPath } from './usage-params.ts'

const read = (query: string) => readUsageParams(new URLSearchParams(query))

describe('readChoice', () => {
  it('takes what is usual where the address says nothing, or nothing that is known', () => {
    const usual = { range: '30d', by: 'model', measure: 'money', model: null, key: null, modality: null }
    expect(read('')).toMatchObject(usual)
    expect(read('range=5y&by=colour&measure=luck&from=yesterday')).toMatchObject(usual)
  })
  it('reads everything that can be chosen', () => {
    expect(read('range=24h&by=key&measure=tokens&model=a/b&key=key_1&modality=image')).toMatchObject({
      ...{ range: '24h', by: 'key', measure: 'tokens', model: 'a/b', key: 'key_1', modality: 'image' },
    })
  })
  it('takes two days for a period of choice, whatever the range says', () => {
    expect(read('range=7d&from=2026-11-01&to=2026-11-05').range).toBe('custom')
    expect(read('range=7d&from=2026-11-01').range).toBe('7d')
  })
})

describe('a custom period', () => {
  const now = Date.parse('2026-11-28T23:30:00Z')
  it.each([
    ['range=24h', '2026-11-28', '2026-11-28'],
    ['range=7d', '2026-11-22', '2026-11-28'],
    ['range=90d', '2026-08-31', '2026-11-28'],
    ['from=2026-11-01&to=2026-11-05', '2026-11-01', '2026-11-05'],
  ])('begins with the days that %s shows', (query, from, to) => {
    expect(daysOf(read(query), now)).toEqual({ from, to })
  })
})

describe('paths', () => {
  it('ask for what was chosen', () => {
    expect(reportPath(read('model=a/b&by=key'))).toBe('/api/usage?range=30d&model=a%2Fb&by=key&measure=money')
    expect(exportPath(read('from=2026-11-01&to=2026-11-05&measure=tokens'), 'requests')).toBe(
      '/api/usage/export?from=2026-11-01&to=2026-11-05&rows=requests',
    )
  })
})
