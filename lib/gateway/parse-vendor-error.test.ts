import { expect, it } from 'vitest'
import { parseVendorError } from './parse-vendor-error.ts'

/** Errors as vendors write them, one for each shape. */
it.each<[vendor: string, text: object | string, message: string | null, param: string | null]>([
  [
    'OpenAI',
    { error: { message: 'Bad value.', type: 'invalid_request_error', param: 'top_p', code: null } },
    'Bad value.',
    'top_p',
  ],
  [
    'xAI',
    { code: 'Client specified an invalid argument', error: 'Argument not supported: stop' },
    'Argument not supported: stop',
    null,
  ],
  ['Cerebras', { message: 'Wrong.', type: 'invalid_request_error', param: 'seed', code: 'wrong_api_format' }, 'Wrong.', 'seed'],
  [
    'Cohere',
    { id: '1', message: 'invalid request: p must be between 0 and 1' },
    'invalid request: p must be between 0 and 1',
    null,
  ],
  ['Amazon', { message: 'The provided model identifier is invalid.' }, 'The provided model identifier is invalid.', null],
  [
    'Mistral',
    { detail: [{ type: 'extra_forbidden', loc: ['body', 'foo'], msg: 'Extra inputs are not permitted', input: 1 }] },
    'Extra inputs are not permitted',
    'foo',
  ],
  [
    'Mistral, nested',
    { object: 'error', message: { detail: [{ loc: ['body', 'messages', 0, 'role'], msg: 'Not a role' }] }, type: 'x' },
    'Not a role',
    'messages.0.role',
  ],
  ['DeepInfra', { detail: { error: 'model is not there' } }, 'model is not there', null],
  ['ElevenLabs', { detail: { status: 'invalid_uid', message: 'No such voice.' } }, 'No such voice.', null],
  ['Deepgram', { err_code: 'INVALID_AUTH', err_msg: 'Invalid credentials.', request_id: 'x' }, 'Invalid credentials.', null],
  ['Replicate', { title: 'Invalid input', detail: '- prompt is required\n', status: 422 }, '- prompt is required\n', null],
  ['Google, compatible', [{ error: { code: 400, message: 'Unknown name.', status: 'INVALID_ARGUMENT' } }], 'Unknown name.', null],
  [
    'OpenRouter',
    { error: { code: 400, message: 'Provider returned error', metadata: { raw: '{"error":{"message":"too long"}}' } } },
    'too long',
    null,
  ],
  ['OpenRouter, of a vendor without JSON', { error: { message: 'x', metadata: { raw: 'plain words' } } }, 'plain words', null],
  ['a proxy', '<html>Bad Gateway</html>', null, null],
  ['nobody', {}, null, null],
  ['nobody, with a number', { error: 7 }, null, null],
  ['a text', '"only a text"', null, null],
])('reads what %s says', (_, text, message, param) => {
  expect(parseVendorError(typeof text === 'string' ? text : JSON.stringify(text))).toEqual({
    message,
    param,
    code: null,
    tooLong: false,
  })
})

const code = (message: string) => ({ error: { message, code: 'context_length_exceeded' } })

it.each<[vendor: string, said: object]>([
  ['OpenAI', code('Your input exceeds the context window of this model. Please adjust your input and try again.')],
  ['OpenAI, in other words', code('Shorten it.')],
  ['Cerebras', { message: 'Please reduce the length of the messages or completion.', code: 'context_length_exceeded' }],
  ['vLLM', { message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens." }],
  [
    'vLLM, in other words',
    {
      error: {
        message:
          "You passed 99073 input tokens and requested 32000 output tokens. However, the model's context length is only 131072 tokens.",
      },
    },
  ],
  ['SGLang', { message: "Requested token count exceeds the model's maximum context length of 131072 tokens." }],
  [
    'SGLang, of the input alone',
    { message: "The input (140000 tokens) is longer than the model's context length (131072 tokens)." },
  ],
  ['Cohere', { message: 'too many tokens: size limit exceeded by 12 tokens. Try using shorter or fewer inputs' }],
  ['Moonshot', { error: { message: 'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)' } }],
  ['Alibaba', { error: { message: '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]' } }],
  [
    'LM Studio',
    { error: 'The number of tokens to keep from the initial prompt is greater than the context length. Try a larger one.' },
  ],
  ['DeepSeek', { error: { message: "This model's maximum context length is 65536 tokens.", code: 'invalid_request_error' } }],
  ['Anthropic', { error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' } }],
  [
    'Anthropic, with its cap',
    { error: { message: 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000' } },
  ],
  ['Google', { error: { message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).' } }],
  [
    'Mistral',
    { message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length' },
  ],
  ['xAI', { error: "This model's maximum prompt length is 131072 but the request contains 200000 tokens." }],
  ['llama.cpp', { error: { message: 'the request exceeds the available context size, try increasing it' } }],
  ['Amazon', { message: 'Input is too long for requested model.' }],
  ['OpenRouter', { error: { message: 'Provider returned error', metadata: { raw: JSON.stringify(code('Shorten it.')) } } }],
])('hears from %s that a request is longer than the context', (_, said) => {
  expect(parseVendorError(JSON.stringify(said)).tooLong).toBe(true)
})

it.each([
  {
    error: {
      message: "Invalid value: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx maximum context length'. Supported are 'a' and 'b'.",
    },
  },
  { error: { message: 'max_tokens is too large: 50000. This model supports at most 16384 completion tokens.' } },
  { error: { message: 'Wrong.', param: 'context_length_exceeded', code: null } },
  'This is no JSON: context_length_exceeded',
])('does not hear it in %j', (said) => {
  expect(parseVendorError(typeof said === 'string' ? said : JSON.stringify(said)).tooLong).toBe(false)
})

it('does not follow what nests without end', () => {
  let nested: object = { message: 'deep' }
  for (let depth = 0; depth < 50; depth++) nested = { error: nested }
  expect(parseVendorError(JSON.stringify(nested))).toEqual({ message: null, param: null, code: null, tooLong: false })
})

it.each([
  [{ error: { message: 'flagged', code: 'content_policy_violation' } }, 'content_policy_violation'],
  [{ message: 'flagged', code: 'content_filter' }, 'content_filter'],
  [
    { error: { message: 'x', metadata: { raw: '{"error":{"message":"y","code":"unsupported_parameter"}}' } } },
    'unsupported_parameter',
  ],
  // Names of its own say nothing to OpenAI's clients, nor do numbers.
  [{ error: { message: 'x', code: 'wrong_api_format' } }, null],
  [{ error: { message: 'x', code: 400 } }, null],
  [{ error: { message: 'x', param: 'content_filter' } }, null],
])('finds the code that clients know in %j', (said, code) => {
  expect(parseVendorError(JSON.stringify(said)).code).toBe(code)
})
