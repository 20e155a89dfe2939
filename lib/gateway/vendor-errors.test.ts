import { expect, it } from 'vitest'
import { type Condition, Refusal } from '../domain/errors.ts'
import { allowsFailover, pickMoreUseful, scrub } from './vendor-errors.ts'

const refusal = (condition: Condition, retryAfter?: number) =>
  new Refusal(condition, 'x', retryAfter === undefined ? {} : { retryAfter })

it.each([
  ['the last', refusal('unavailable'), refusal('vendor_failed'), 'later'],
  ['the one that says when to come back', refusal('too_many_requests', 7), refusal('vendor_failed'), 'earlier'],
  ['the one that says when to come back, if it is the last too', refusal('vendor_failed'), refusal('unavailable', 5), 'later'],
  ['the shorter wait', refusal('too_many_requests', 60), refusal('unavailable', 5), 'later'],
  ['the shorter wait, if it came first too', refusal('unavailable', 5), refusal('too_many_requests', 60), 'earlier'],
  ['the last of equal waits', refusal('unavailable', 5), refusal('too_many_requests', 5), 'later'],
  ['what the vendor did, rather than we', refusal('vendor_failed'), refusal('internal'), 'earlier'],
])('of two refusals %s is shown', (_, earlier, later, shown) => {
  expect(pickMoreUseful(earlier, later)).toBe(shown === 'earlier' ? earlier : later)
})

it('the only refusal is shown', () => {
  const only = refusal('internal')
  expect(pickMoreUseful(null, only)).toBe(only)
})

it('another deployment is asked unless the request itself is at fault', () => {
  for (const condition of ['invalid_request', 'context_exceeded'] as const) expect(allowsFailover(refusal(condition))).toBe(false)
  for (const condition of ['too_many_requests', 'vendor_failed', 'unavailable', 'internal'] as const)
    expect(allowsFailover(refusal(condition))).toBe(true)
})

it.each([
  ['the only secret', 'q8Zr4', 'q8Zr4'],
  ['one of several secrets', JSON.stringify({ accessKeyId: 'AKIA1234', secretAccessKey: 'q8Zr4' }), 'AKIA1234'],
  ['another one of them', JSON.stringify({ accessKeyId: 'AKIA1234', secretAccessKey: 'q8Zr4' }), 'q8Zr4'],
])("in a vendor's message %s is hidden", (_, secret, quoted) => {
  const connection = { secret, headers: {}, baseUrl: null }
  const route = { deployment: { connection, upstreamModel: 'm' } } as unknown as Parameters<typeof scrub>[1]
  expect(scrub(`The credential ${quoted} is not valid.`, route, 'm')).toBe('The credential [hidden] is not valid.')
})
