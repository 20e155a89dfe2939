import { expect, it } from 'vitest'
import { formatMessage, toMessageDescriptor } from '../../messages/message.ts'
import { greetingOf } from './greeting.ts'

it.each(['Ada', 'J. R. Hartley', 'J.R. Hartley', 'Anne-Marie O’Neill', '王小明', 'Dr. Strange, Jr.'])('greets %s', (name) => {
  expect(formatMessage(toMessageDescriptor(greetingOf(name)))).toBe(`Hello ${name},`)
})

it.each([
  'You have won: https://evil.example/claim',
  'evil.example',
  'go to www.evil.example now',
  'mail me@evil.example',
  'Ada,\n\nyour account was closed',
  '\u202eetah ruoy',
  'Ada\u2028your account was closed',
  '您的账户已冻结：请联系',
  'evil。com',
  'evil．com',
])('does not hand on %j', (name) => {
  expect(formatMessage(toMessageDescriptor(greetingOf(name)))).toBe('Hello,')
})
