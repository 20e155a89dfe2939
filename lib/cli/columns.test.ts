import { expect, it } from 'vitest'
import { formatColumns } from './columns.ts'

it('puts cells under each other, of as many lines as there are', () => {
  expect(formatColumns([['a', 'b'], ['long', 'c'], ['d']])).toBe('a     b\nlong  c\nd')
  const lines = Array.from({ length: 200_000 }, (_, at) => [String(at), 'x'])
  expect(formatColumns(lines).endsWith('\n199999  x')).toBe(true)
})
