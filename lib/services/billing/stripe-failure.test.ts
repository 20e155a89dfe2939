import { expect, it } from 'vitest'
import { failureOf } from './stripe-failure.ts'

it.each([
  ['declined', { code: 'card_declined', decline_code: 'generic_decline' }],
  ['funds', { code: 'card_declined', decline_code: 'insufficient_funds' }],
  ['expired', { code: 'expired_card' }],
  ['authentication', { code: 'authentication_required', decline_code: 'authentication_required' }],
  ['authentication', { code: 'card_declined', decline_code: 'authentication_required' }],
  ['card_gone', { code: 'payment_method_unexpected_state' }],
  ['declined', { code: 'something_new' }],
  ['declined', null],
] as const)('calls it %s', (reason, error) => {
  expect(failureOf(error)).toBe(reason)
})
