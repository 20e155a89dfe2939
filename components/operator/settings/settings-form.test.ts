import { expect, it } from 'vitest'
import { areas, fieldsOf, readField, textOf, withEdit } from './settings-form.ts'

it('every setting that has a field is in an area', () => {
  expect(areas.flatMap(fieldsOf).sort()).toEqual(
    [
      'accountConcurrency',
      'breakerCoolMostMs',
      'breakerCoolMs',
      'breakerFailures',
      'concurrency',
      'historyDays',
      'hops',
      'keyConcurrency',
      'keyRpm',
      'keyTpm',
      'readerTimeoutMs',
      'requestTimeoutMs',
      'shedLagMs',
      'signUp',
      'signUpCredit',
      'topUpMax',
      'topUpMin',
    ].sort(),
  )
})

it.each([
  ['keyRpm', '1,000', { value: 1000 }],
  ['keyRpm', '0', { fault: 'bounds' }],
  ['keyRpm', '1.5', { fault: 'whole' }],
  ['keyRpm', '', { fault: 'whole' }],
  ['requestTimeoutMs', '2.5', { value: 2500 }],
  ['requestTimeoutMs', '0.5', { fault: 'bounds' }],
  ['requestTimeoutMs', '-1', { fault: 'seconds' }],
  ['topUpMin', '2.50', { value: '2.50' }],
  ['topUpMin', '1e3', { fault: 'amount' }],
  ['topUpMin', '2,5', { fault: 'amount' }],
  ['topUpMax', '1000000', { fault: 'amount' }],
  ['signUp', 'closed', { value: 'closed' }],
] as const)('%s as %j', (name, text, read) => {
  expect(readField(name, text)).toEqual(read)
})

it('a text is sent over the version that was in sight when it was begun, whatever is read meanwhile', () => {
  const begun = withEdit({}, 'keyRpm', { value: 100, version: 3 }, '20')
  expect(begun).toEqual({ keyRpm: { text: '20', version: 3 } })
  const others = { value: 50, version: 4 }
  expect(withEdit(begun, 'keyRpm', others, '200')).toEqual({ keyRpm: { text: '200', version: 3 } })
  expect(withEdit(begun, 'keyRpm', others, '50')).toEqual({})
})

it('what stands in a field is read as it was', () => {
  expect(textOf('requestTimeoutMs', 1500)).toBe('1.5')
  expect(textOf('signUpCredit', '0.50')).toBe('0.50')
})
