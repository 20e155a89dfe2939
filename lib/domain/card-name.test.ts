import { expect, it } from 'vitest'
import { cardName } from './card-name.ts'

it.each([
  ['visa', 'Visa •••• 4242'],
  ['mastercard', 'Mastercard •••• 4242'],
  ['amex', 'American Express •••• 4242'],
  ['constructor', 'Constructor •••• 4242'],
])('calls %s %s', (brand, name) => {
  expect(cardName({ brand, last4: '4242' })).toBe(name)
})
