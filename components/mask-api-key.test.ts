import { expect, it } from 'vitest'
import { keyHint } from '#lib/domain/api-key'
import { maskApiKey } from './mask-api-key.ts'

const SECRET = `sk-tg-${'a1B2'.repeat(11)}zZ`

it.each([
  [SECRET, keyHint(SECRET)],
  [` ${SECRET} `, keyHint(SECRET)],
  [keyHint(SECRET), keyHint(SECRET)],
  ['ada@example.com', 'ada@example.com'],
  ['sk-tg-', 'sk-tg-'],
  ['', ''],
])('%s is asked for as %s', (typed, asked) => {
  expect(maskApiKey(typed)).toBe(asked)
})
