import { expect, it } from 'vitest'
import { hasCallsWithoutThought, type PartKinds } from './turn-thoughts.ts'

const KINDS: PartKinds = { isThought: (part) => part === 'thought', isResult: (part) => part === 'result' }
const user = (...content: string[]) => ({ role: 'user', content })
const assistant = (...content: string[]) => ({ role: 'assistant', content })

it.each([
  [[user('text'), assistant('call'), user('result')], true],
  [[user('text'), assistant('text', 'thought', 'call'), user('result', 'text')], true],
  [
    [
      user('text'),
      assistant('thought', 'call'),
      user('result'),
      assistant('text'),
      user('text'),
      assistant('call'),
      user('result'),
    ],
    true,
  ],
  [[user('text'), assistant('thought', 'call'), user('result')], false],
  // One thought is enough for a turn with several steps.
  [[user('text'), assistant('thought', 'call'), user('result'), assistant('call'), user('result')], false],
  [[user('text'), assistant('call'), user('result'), assistant('text'), user('text')], false],
  [[user('text')], false],
  [[], false],
  [null, false],
])('%j: %s', (messages, expected) => {
  expect(hasCallsWithoutThought(messages, KINDS)).toBe(expected)
})
