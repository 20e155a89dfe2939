import { expect, it } from 'vitest'
import { z } from 'zod'
import { written } from '../messages/said.ts'
import { saidIssue } from '../services/said-issue.ts'
import { plainWords } from './plain-words.ts'

const said = (schema: z.ZodType, value: unknown): string =>
  written(saidIssue(schema.safeParse(value, { error: plainWords }).error?.issues[0]))

it('is told in words for people, with the limit', () => {
  expect(said(z.object({ name: z.string() }), {})).toBe('This is missing.')
  expect(said(z.string().min(1), '')).toBe('Fill this in.')
  expect(said(z.string().min(3), 'x')).toBe('Write at least 3 characters.')
  expect(said(z.string().max(3), 'long')).toBe('Write at most 3 characters.')
  expect(said(z.number().min(2), 1)).toBe('Use 2 or more.')
  expect(said(z.number().max(500), 100_000)).toBe('Use 500 or less.')
  expect(said(z.array(z.string()).min(1), [])).toBe('Name at least 1.')
  expect(said(z.array(z.string()).max(1), ['a', 'b'])).toBe('Name at most 1.')
  expect(said(z.email(), 'nobody')).toBe('Invalid email address')
})

it('leaves the words of a contract, and of what it does not know, as they are', () => {
  expect(said(z.string().min(1, 'Write a name.'), '')).toBe('Write a name.')
  expect(said(z.enum(['a', 'b']), 'c')).toContain('"a"')
})
