import { expect, it } from 'vitest'
import { truncateMiddle } from './truncate-middle.ts'

it('a name is cut in its middle, to as many characters as there may be, and a shorter one is left alone', () => {
  expect(truncateMiddle('sandbox/chat', 12)).toBe('sandbox/chat')
  expect(truncateMiddle('maker/model-large-2026', 11)).toBe('maker…-2026')
  expect(truncateMiddle('maker/model-large-2026', 12)).toBe('maker/…-2026')
  expect(truncateMiddle('🚦🚦🚦🚦🚦🚦', 5)).toBe('🚦🚦…🚦🚦')
})
