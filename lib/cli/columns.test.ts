import { expect, it } from 'vitest'
import { columns } from './columns.ts'

it('puts cells under each other, of as many lines as there are', () => {
  expect(columns([['a', 'b'], ['long', 'c'], ['d']])).toBe('a     b\nlong  c\nd')
  const lines = Array.from({ length: 200_000 }, (_, at) => [String(at), 'x'])
  expect(columns(lines).endsWith('\n199999  x')).toBe(true)
})
