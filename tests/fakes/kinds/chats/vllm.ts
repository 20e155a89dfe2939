import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { BEARER, type ChatRow } from '../row.ts'

const MODEL = 'Qwen/Qwen3-32B'

const wire = createFlavourAnswers({
  source: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server',
  model: MODEL,
  head: { prompt_logprobs: null, kv_transfer_params: null },
  choice: { logprobs: null, stop_reason: null, token_ids: null },
  message: { refusal: null, annotations: null, audio: null, function_call: null, tool_calls: [], reasoning_content: null },
  thoughts: 'reasoning_content',
  // With --enable-prompt-tokens-details. Without it, this is null.
  usage: (used) => ({ ...counts(used), prompt_tokens_details: used.cached > 0 ? { cached_tokens: used.cached } : null }),
  usageAt: 'apart',
  pieces: true,
})

/** Its errors. Older versions do not nest them in an object. */
const errorBody = (message: string, type: string, code: number, param: string | null = null): object => ({
  object: 'error',
  message,
  type,
  param,
  code,
})

export const vllm: ChatRow = {
  upstreamModel: MODEL,
  path: '/v1/chat/completions',
  credential: BEARER,
  framing: 'done',
  text: [wire.text({ prompt: 19, completion: 30 })],
  stream: [wire.stream({ prompt: 19, completion: 30 })],
  tools: [wire.tools({ prompt: 82, completion: 41 })],
  toolStream: [wire.toolStream({ prompt: 82, completion: 41 })],
  cached: [
    wire.text({ prompt: 1117, cached: 1024, completion: 46 }),
    wire.stream({ prompt: 1117, cached: 1024, completion: 46 }),
  ],
  reasoning: { none: 'Its usage has thoughts in the completion, and no count of their own.' },
  faults: {
    credentials: { status: 401, body: { error: 'Unauthorized' }, is: 'unavailable' },
    funds: { none: "It is a server of the operator's own, and bills nothing." },
    request: {
      status: 400,
      body: errorBody("This model's maximum context length is 4096 tokens.", 'BadRequestError', 400, 'messages'),
      is: 'context_exceeded',
      says: /says: This model's maximum context length is 4096 tokens/,
      param: 'messages',
    },
    rate: { none: 'It limits nobody: requests wait until there is room.' },
    failure: {
      status: 404,
      body: { error: errorBody('The model `Qwen/Qwen3-32B` does not exist.', 'NotFoundError', 404) },
      is: 'unavailable',
    },
  },
  brokenStream: wire.broken(
    errorBody('EngineCore encountered an issue. See stack trace for the root cause.', 'InternalServerError', 500),
  ),
}
