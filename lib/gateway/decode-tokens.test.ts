import { encode } from 'gpt-tokenizer/encoding/cl100k_base'
import { expect, test } from 'vitest'
import { decodeTokens } from './decode-tokens.ts'

test.each(['Hello there', 'wörld 😀', ' \n', '你好', 'a😀b\u0001😀'])('the tokens of %j are that text', async (text) => {
  expect(await decodeTokens(encode(text))).toBe(text)
})

test.each([[[100_256]], [[1, 2_000_000_000]], [encode('😀').slice(0, 1)], [encode('😀').slice(1)]])(
  '%j are no text',
  async (tokens) => {
    expect(await decodeTokens(tokens)).toBeNull()
  },
)
