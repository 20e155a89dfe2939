import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { asRefusal, CONDITION_TABLE, type Condition, Refusal } from './errors.ts'

const conditions = Object.keys(CONDITION_TABLE) as Condition[]

/** The rows of the error table in lib/wire/README.md, as cells without backticks. */
function documented(): string[][] {
  const text = readFileSync(new URL('../wire/README.md', import.meta.url), 'utf8')
  const table = text.slice(text.indexOf('| condition |')).split('\n\n', 1)[0] ?? ''
  return table
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim().replaceAll('`', '')))
}

describe('the table of errors', () => {
  it('is the same in lib/wire/README.md, row by row', () => {
    const rows = documented().map(([condition, status, type, code]) => [condition, { status: Number(status), type, code }])
    expect(rows).toEqual(Object.entries(CONDITION_TABLE))
  })

  it('says of each row when it happens and what to do', () => {
    for (const cells of documented()) {
      expect(cells.length).toBe(7)
      expect(cells[5]?.length, cells[0]).toBeGreaterThan(20)
      expect(cells[6]?.length, cells[0]).toBeGreaterThan(9)
    }
  })

  it('has the codes that the specification names, with their status', () => {
    const named = {
      invalid_request_error: 400,
      invalid_api_key: 401,
      model_not_found: 404,
      insufficient_quota: 429,
      server_error: 500,
    }
    for (const [code, status] of Object.entries(named))
      expect(
        Object.values(CONDITION_TABLE).some((row) => row.code === code && row.status === status),
        code,
      ).toBe(true)
  })
})

describe('Refusal', () => {
  it.each(conditions)('%s has the status and the code of its row', (condition) => {
    const refusal = new Refusal(condition, 'Because.')
    expect([refusal.status, refusal.code]).toEqual([CONDITION_TABLE[condition].status, CONDITION_TABLE[condition].code])
    expect(refusal).toMatchObject({ message: 'Because.', param: null, retryAfter: null, headers: {}, detail: null })
  })

  it('is told by its mark, whichever copy of the module made it', () => {
    const refusal = new Refusal('no_quota', 'x', { param: 'p', retryAfter: 3, headers: { a: 'b' }, detail: 'd' })
    expect(asRefusal(refusal)).toBe(refusal)
    const other = { kind: 'refusal' }
    expect(asRefusal(other)).toBe(other)
    for (const error of [new Error('x'), null, undefined, 'refusal', { kind: 'other' }]) expect(asRefusal(error)).toBeNull()
  })
})
