import { expect, it } from 'vitest'
import { keyQuery } from '#lib/contracts/keys'
import { isFiltered, keysPath, readKeyFilters } from './key-filter-params.ts'

const read = (query: string) => readKeyFilters(new URLSearchParams(query))
const asked = (query: string) => Object.fromEntries(new URL(keysPath(read(query)), 'http://localhost').searchParams)

it('an address says which keys are listed, and what cannot be used in it is left out', () => {
  expect(read('q=+web+&state=expired&group=grp_main')).toEqual({ q: 'web', state: 'expired', group: 'grp_main' })
  expect(read(`q=&state=lost&group=${'g'.repeat(65)}&new=key`)).toEqual({ q: '', state: null, group: null })
  expect(read('')).toEqual({ q: '', state: null, group: null })
})

it('whatever an address says, the list can be asked for it', () => {
  for (const query of ['', 'q=a%26b&state=active&group=grp_main', `q=${'x'.repeat(500)}&state=lost`])
    expect(keyQuery.safeParse(asked(query)).error).toBeUndefined()
  expect(asked('q=a%26b&state=active&group=grp_main')).toEqual({
    ...{ limit: '50', search: 'a&b', state: 'active', group: 'grp_main' },
  })
})

it('a list of all keys is not narrowed', () => {
  expect(isFiltered(read('new=key'))).toBe(false)
  for (const query of ['q=web', 'state=revoked', 'group=grp_main']) expect(isFiltered(read(query))).toBe(true)
})
