import { type Call, sendStream, usageOf } from './vendor.ts'

/** A request for a model that costs a nano-dollar per output token. Its hold is exactly this balance. */
export const spendBody = (balance: bigint) => ({
  model: 'fake/spend',
  messages: [{ role: 'user', content: 'all' }],
  max_tokens: Number(balance) - 1,
  // A non-streaming answer has no room for so many tokens.
  stream: true,
})

/** The vendor's answer: all of the requested tokens, plus one for the request. */
export const sendSpent = (call: Call): void => sendStream(call, ['all'], usageOf(0, Number(call.body.max_tokens) + 1))
