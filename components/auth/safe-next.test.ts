import { describe, expect, it } from 'vitest'
import { safeNext } from './safe-next.ts'

describe('safeNext', () => {
  it.each([
    ['/keys', '/keys'],
    ['/history?id=req_1&model=a%2Fb', '/history?id=req_1&model=a%2Fb'],
    [null, '/overview'],
    ['', '/overview'],
    ['https://elsewhere.example', '/overview'],
    ['//elsewhere.example', '/overview'],
    ['/\\elsewhere.example', '/overview'],
    ['/\t/elsewhere.example', '/overview'],
    ['javascript:alert(1)', '/overview'],
  ])('%s leads to %s', (wanted, path) => {
    expect(safeNext(wanted)).toBe(path)
  })
})
