import { parentPort } from 'node:worker_threads'
import { countTokens } from '../gateway/count-tokens.ts'
import type { Counted, ToCount } from './token-counter.ts'

/** The thread of token-counter.ts: responds to each text with its number of tokens. */
parentPort?.on('message', async ({ id, text }: ToCount) => {
  const counted: Counted = { id, tokens: await countTokens(text) }
  parentPort?.postMessage(counted)
})
