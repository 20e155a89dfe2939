import { expect, it } from 'vitest'
import { reasonOf, withErrorContext } from './error-reason.ts'

it('an error of several addresses, which has no message of its own, says what each of them said', () => {
  const both = [new Error('connect ECONNREFUSED ::1:5432'), new Error('connect ECONNREFUSED 127.0.0.1:5432')]
  expect(reasonOf(new AggregateError(both))).toBe('connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432')
  expect(reasonOf(new Error('plain'))).toBe('plain')
  expect(reasonOf('text')).toBe('text')
})

it('what fails under a setting names it', async () => {
  expect(await withErrorContext('PORT', 'no', Promise.resolve(1))).toBe(1)
  const failing = Promise.reject(new AggregateError([new Error('a'), new Error('b')]))
  await expect(withErrorContext('DATABASE_URL', 'it cannot be reached', failing)).rejects.toThrow(
    'DATABASE_URL: it cannot be reached: a; b',
  )
})

it('a database that takes no more connections is told with what helps', () => {
  const full = Object.assign(new Error('sorry, too many clients already'), { code: '53300' })
  expect(reasonOf(full)).toMatch(/^sorry, too many clients already\. Lower DATABASE_POOL, or raise .*max_connections/)
})
