import { expect, it } from 'vitest'
import { z } from 'zod'
import { formatMessage } from '../messages/message.ts'
import { describeZodIssue } from './zod-error-map.ts'
import { messageOfIssue, pathOfIssue } from './zod-issue.ts'

const issueOf = (schema: z.ZodType, value: unknown) => schema.safeParse(value, { error: describeZodIssue }).error?.issues[0]
const told = (schema: z.ZodType, value: unknown): string => formatMessage(messageOfIssue(issueOf(schema, value)))
const form = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('daily') }),
  z.object({ kind: z.literal('weekly'), day: z.int() }),
])

it.each<[string, z.ZodType, unknown]>([
  ['This is missing.', z.object({ name: z.string() }), {}],
  ['This is missing.', z.object({ kind: z.enum(['a', 'b']) }), {}],
  ['Fill this in.', z.string().min(1), ''],
  ['Enter at least 3 characters.', z.string().min(3), 'x'],
  ['Enter at most 3 characters.', z.string().max(3), 'long'],
  ['Use 2 or more.', z.number().min(2), 1],
  ['Use 500 or less.', z.number().max(500), 100_000],
  ['Use a value above 0.', z.number().positive(), 0],
  ['Use a value below 100.', z.number().lt(100), 100],
  ['Use 500 or less.', z.bigint().max(500n), 501n],
  ['List at least 1.', z.array(z.string()).min(1), []],
  ['List at most 1.', z.array(z.string()).max(1), ['a', 'b']],
  ['This must be text.', z.string(), 5],
  ['This must be a number.', z.number(), '5'],
  ['This must be a number.', z.coerce.number(), 'five'],
  ['This must be a whole number.', z.int(), 1.5],
  ['This must be true or false.', z.boolean(), 'yes'],
  ['This must be a list.', z.array(z.string()), {}],
  ['This must be an object with named fields.', z.strictObject({}), []],
  ['This must be an object with named fields.', z.record(z.string(), z.string()), []],
  ['Use one of these: a, b.', z.enum(['a', 'b']), 'c'],
  ['Use one of these: USD.', z.literal('USD'), 'c'],
  ['Use one of these: daily, weekly.', form, { kind: 'hourly' }],
  ['This does not match any accepted format.', z.union([z.string(), z.number()]), true],
  ['This does not match any accepted format.', z.string().regex(/^a+$/), 'b'],
  ['Enter a valid email address, such as name@example.com.', z.email(), 'nobody'],
  ['Enter a full address, such as https://example.com.', z.url(), 'example'],
  ['This is not a valid id.', z.uuid(), '7'],
  ['Enter a date such as 2026-01-31.', z.iso.date(), '31.1.2026'],
  ['Enter a time such as 2026-01-31T12:00:00Z.', z.iso.datetime(), 'today'],
  ['There is no such field.', z.strictObject({}), { more: 1 }],
  ['Enter at most 3 characters.', z.record(z.string().max(3), z.string()), { long: '' }],
  ['This value is invalid.', z.string().refine(() => false), 'x'],
  ['This value is invalid.', z.null(), 'x'],
])('%s', (words, schema, value) => {
  expect(told(schema, value)).toBe(words)
})

it('leaves the words of a contract as they are', () => {
  expect(told(z.string().min(1, 'Write a name.'), '')).toBe('Write a name.')
  expect(told(z.record(z.string().regex(/^a/, 'Begin with an a.'), z.string()), { b: '' })).toBe('Begin with an a.')
})

it.each<[string, z.ZodType, unknown]>([
  ['', z.string(), 5],
  ['limits.0.max', z.object({ limits: z.array(z.object({ max: z.number() })) }), { limits: [{ max: 'x' }] }],
  ['more', z.strictObject({}), { more: 1 }],
  ['inner.more', z.object({ inner: z.strictObject({}) }), { inner: { more: 1, most: 2 } }],
  ['kind', form, { kind: 'hourly' }],
])('is found at "%s"', (place, schema, value) => {
  expect(pathOfIssue(issueOf(schema, value))).toBe(place)
})
