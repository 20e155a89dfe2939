import { expect, it } from 'vitest'
import { isTransient } from './transient.ts'

const coded = (code: string): Error => Object.assign(new Error('x'), { code })

it.each([
  '08001',
  '08006',
  '25P03',
  '25P04',
  '40001',
  '40P01',
  '53100',
  '53200',
  '53300',
  '57014',
  '57P01',
  '57P03',
  '57P05',
  '58030',
  'ECONNREFUSED',
  'ENETUNREACH',
])('%s is not now: no charge is given up for it', (code) => expect(isTransient(coded(code))).toBe(true))

it.each(['22003', '22P05', '23505', '23514', '42P01', 'P0001'])('%s is never', (code) =>
  expect(isTransient(coded(code))).toBe(false),
)

it('knows the errors of the driver that have no code', () => {
  expect(isTransient(new Error('Connection terminated unexpectedly'))).toBe(true)
  expect(isTransient(new Error('Invalid string length'))).toBe(false)
})
