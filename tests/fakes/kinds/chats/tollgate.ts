import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import type { ChatRow } from '../row.ts'
import { openai } from './openai.ts'

/** Another Tollgate gateway: OpenAI's wire format plus the cost, and our own errors. */
const wire = createFlavourAnswers({
  source: 'lib/wire/README.md',
  model: 'openai/gpt-5.1',
  choice: { logprobs: null },
  message: { refusal: null },
  usage: (used) => ({
    ...counts(used),
    prompt_tokens_details: { cached_tokens: used.cached },
    completion_tokens_details: { reasoning_tokens: used.reasoning },
    cost: 0.0123,
  }),
  usageAt: 'apart',
  pieces: true,
})

export const tollgate: ChatRow = {
  ...openai,
  upstreamModel: 'openai/gpt-5.1',
  text: [wire.text({ prompt: 19, completion: 30 })],
  stream: [wire.stream({ prompt: 19, completion: 30 })],
  tools: [wire.tools({ prompt: 82, completion: 41 })],
  toolStream: [wire.toolStream({ prompt: 82, completion: 41 })],
  cached: [
    wire.text({ prompt: 1117, completion: 46, cached: 1024 }),
    wire.stream({ prompt: 1117, completion: 46, cached: 1024 }),
  ],
  reasoning: [
    wire.text({ prompt: 20, completion: 90, reasoning: 64 }),
    wire.stream({ prompt: 20, completion: 90, reasoning: 64 }),
  ],
}
