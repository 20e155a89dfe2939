import { expect, it } from 'vitest'
import { newId } from '../domain/ids.ts'
import { beforeId, beforeTimedId, formatTimedId, idPattern } from './cursor.ts'

const LAST_MS = 8.64e15

it.each([0, Date.UTC(2026, 10, 20), 2 ** 48 - 1])('an id of %i ms has the form of one, and is a place among its like', (ms) => {
  const id = newId('aud', ms, Buffer.alloc(10, 255))
  expect(idPattern('aud').test(id)).toBe(true)
  expect(idPattern('req').test(id)).toBe(false)
  expect(beforeId('aud').parse(id)).toBe(id)
  const beginnings = Array.from({ length: 30 }, (_, at) => id.slice(0, at + 1))
  expect(beginnings.filter((text) => idPattern('aud', 6).test(text))).toEqual(beginnings.filter(({ length }) => length >= 10))
})

it.each([
  'foo',
  '',
  'aud_',
  'req_01m8bsn1e0a5grtxctw8p4t2k2',
  'aud_81m8bsn1e0a5grtxctw8p4t2k2',
  'aud_01m8bsn1e0a5grtxctw8p4t2k2 ',
])('%j is no place in a list of notes', (text) => {
  expect(beforeId('aud').safeParse(text).error?.issues[0]?.message).toMatch(/position in the list is invalid/)
})

it.each([
  { at: new Date('2026-11-20T09:00:00.000Z'), id: 'ent_acc_01m8bsn1e0a5grtxctw8p4t2k2_sign_up' },
  { at: new Date('2028-02-29T23:59:59.999Z'), id: 'ent_op_7c9e6679-7425-40de-944b-e07fc1f90ae7' },
  { at: new Date('0001-01-01T00:00:00.000Z'), id: 'x' },
])('a row of a list by time is read as it was written: %o', (place) => {
  expect(beforeTimedId.parse(formatTimedId(place))).toEqual(place)
})

it.each([
  'nonsense',
  '~',
  '2026-13-45T00:00:00.000Z~x',
  '2026-02-30T00:00:00.000Z~x',
  '0000-01-01T00:00:00.000Z~x',
  '2026-01-01T00:00:00Z~x',
  '2026-01-01T00:00:00.000Z~',
  '2026-01-01T00:00:00.000Z~a\0b',
  `2026-01-01T00:00:00.000Z~${'x'.repeat(150)}`,
  formatTimedId({ at: new Date(LAST_MS), id: 'x' }),
])('%j is no row of a list by time', (text) => {
  expect(beforeTimedId.safeParse(text).error?.issues[0]?.message).toMatch(/position in the list is invalid/)
})
