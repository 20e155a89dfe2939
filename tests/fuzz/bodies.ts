import type { Random } from '../support/random.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
export type JsonObject = { [name: string]: Json }

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg=='
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
}
const CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }

const MESSAGES: readonly Json[][] = [
  [{ role: 'user', content: 'Hello there.' }],
  [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'What is this?' }] },
  ],
  [
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: PIXEL, detail: 'low' } },
        { type: 'text', text: 'And this?' },
      ],
    },
  ],
  [
    { role: 'developer', content: 'Answer in JSON.' },
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: null, tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Rain.' },
  ],
  [
    {
      role: 'user',
      content: [
        { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        { type: 'text', text: 'Hm?' },
      ],
    },
  ],
  [{ role: 'user', content: [{ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' } }] }],
]

const OPTIONS: readonly JsonObject[] = [
  { temperature: 0.7, top_p: 0.9 },
  { n: 2 },
  { stop: ['\n', 'END'] },
  { max_tokens: 40 },
  { max_completion_tokens: 12 },
  {
    tools: [{ type: 'function', function: { name: 'weather', description: 'Tells it.', parameters: SCHEMA, strict: true } }],
    tool_choice: 'auto',
  },
  { response_format: { type: 'json_schema', json_schema: { name: 'reply', schema: SCHEMA, strict: true } } },
  { response_format: { type: 'json_object' } },
  { logit_bias: { '50256': -100 }, presence_penalty: 1, frequency_penalty: -1 },
  { seed: 7, user: 'someone', metadata: { a: 'b' }, store: false },
  { reasoning_effort: 'low', verbosity: 'high', parallel_tool_calls: false },
  { logprobs: true, top_logprobs: 3 },
  { something_new: { deep: [1, 2, { three: null }] } },
]

/** A valid chat request for a model, in one of its many possible forms. */
export function validBody(random: Random, model: string): JsonObject {
  const body: JsonObject = { model, messages: structuredClone(random.pick(MESSAGES)) }
  for (let more = random.integer(0, 2); more > 0; more--) Object.assign(body, structuredClone(random.pick(OPTIONS)))
  if (body.max_completion_tokens !== undefined) delete body.max_tokens
  if (random.chance(0.4)) {
    body.stream = true
    if (random.chance(0.5)) body.stream_options = { include_usage: true }
  }
  return body
}
