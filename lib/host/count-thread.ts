import { parentPort } from 'node:worker_threads'
import { countTokens } from '../gateway/count-tokens.ts'
import type { CountRequest, CountResponse } from './token-counter.ts'

/** The thread of token-counter.ts: responds to each text with its number of tokens. */
parentPort?.on('message', async ({ id, text }: CountRequest) => {
  const response: CountResponse = { id, tokens: await countTokens(text) }
  parentPort?.postMessage(response)
})
