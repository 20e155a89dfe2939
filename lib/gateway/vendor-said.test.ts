import { expect, it } from 'vitest'
import { saidIn } from './vendor-said.ts'

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
  expect(saidIn(typeof text === 'string' ? text : JSON.stringify(text))).toEqual({ message, param })
})

it('does not follow what nests without end', () => {
  let nested: object = { message: 'deep' }
  for (let depth = 0; depth < 50; depth++) nested = { error: nested }
  expect(saidIn(JSON.stringify(nested))).toEqual({ message: null, param: null })
})
