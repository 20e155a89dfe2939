import { describe, expect, it } from 'vitest'
import { exportPath, readUsageParams, reportPath } from './usage-params.ts'

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

describe('paths', () => {
  it('ask for what was chosen', () => {
    expect(reportPath(read('model=a/b&by=key'))).toBe('/api/usage?range=30d&model=a%2Fb&by=key&measure=money')
    expect(exportPath(read('from=2026-11-01&to=2026-11-05&measure=tokens'), 'requests')).toBe(
      '/api/usage/export?from=2026-11-01&to=2026-11-05&rows=requests',
    )
  })
})
