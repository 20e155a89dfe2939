import { openAiError } from '../openai-error.ts'
import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { BEARER, type ChatRow } from '../row.ts'

const wire = createFlavourAnswers({
  source: 'https://docs.ollama.com/api/openai-compatibility',
  model: 'qwen3:8b',
  head: { system_fingerprint: 'fp_ollama' },
  usage: counts,
  usageAt: 'apart',
})

export const ollama: ChatRow = {
  upstreamModel: 'qwen3:8b',
  path: '/v1/chat/completions',
  credential: BEARER,
  framing: 'done',
  text: [wire.text({ prompt: 19, completion: 30 })],
  stream: [wire.stream({ prompt: 19, completion: 30 })],
  tools: [wire.tools({ prompt: 82, completion: 41 })],
  toolStream: [wire.toolStream({ prompt: 82, completion: 41 })],
  cached: { none: 'It keeps a cache and does not say what came from it.' },
  reasoning: { none: 'Its usage has thoughts in the completion, and no count of their own.' },
  faults: {
    credentials: {
      status: 401,
      body: openAiError('unauthorized: sign in to use this model', 'authentication_error', null),
      is: 'unavailable',
    },
    funds: { none: "It is a server of the operator's own, and bills nothing." },
    request: {
      status: 400,
      body: openAiError('registry.ollama.ai/library/qwen3:8b does not support tools', 'api_error', null),
      is: 'invalid_request',
      says: /does not support tools/,
    },
    rate: {
      status: 429,
      body: openAiError('you have reached your session usage limit, please wait', 'api_error', null),
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: {
      status: 404,
      body: openAiError('model "qwen3:8b" not found, try pulling it first', 'api_error', null),
      is: 'unavailable',
    },
  },
  brokenStream: wire.broken(openAiError('an error was encountered while running the model', 'api_error', null)),
}
