import { expect, it } from 'vitest'
import { cutMiddle } from './cut-middle.ts'

it('a name is cut in its middle, to as many characters as there may be, and a shorter one is left alone', () => {
  expect(cutMiddle('sandbox/chat', 12)).toBe('sandbox/chat')
  expect(cutMiddle('maker/model-large-2026', 11)).toBe('maker…-2026')
  expect(cutMiddle('maker/model-large-2026', 12)).toBe('maker/…-2026')
  expect(cutMiddle('🚦🚦🚦🚦🚦🚦', 5)).toBe('🚦🚦…🚦🚦')
})
