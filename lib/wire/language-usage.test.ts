import { expect, it } from 'vitest'
import { finishReasonOf, hasFailed, hasRequestFailed } from './language-usage.ts'

it.each([
  ['stop', 'end_turn', 'stop'],
  ['length', 'max_tokens', 'length'],
  ['content-filter', 'refusal', 'content_filter'],
  ['tool-calls', 'tool_use', 'tool_calls'],
  ['interrupted', undefined, null],
  ['other', 'malformed_tool_use', 'stop'],
  // Bedrock's package has no word for a full context.
  ['other', 'model_context_window_exceeded', 'length'],
  ['other', 'IMAGE_PROHIBITED_CONTENT', 'content_filter'],
] as const)('%s, which its vendor calls %s, is %s', (unified, raw, expected) => {
  expect(finishReasonOf({ unified, raw })).toBe(expected)
})

it.each([
  ['other', 'MALFORMED_FUNCTION_CALL', true, true],
  ['error', 'MALFORMED_FUNCTION_CALL', true, true],
  ['other', 'TOO_MANY_TOOL_CALLS', true, true],
  ['other', 'LANGUAGE', false, false],
  // Of these nobody knows whether another request would fare better.
  ['other', 'OTHER', true, false],
  ['other', 'TIMEOUT', true, false],
  ['error', 'error', true, false],
  ['other', 'pause_turn', false, false],
  ['stop', 'OTHER', false, false],
] as const)('%s, which its vendor calls %s: failed %s, because of the request %s', (unified, raw, failed, ofRequest) => {
  expect([hasFailed({ unified, raw }), hasRequestFailed({ unified, raw })]).toEqual([failed, ofRequest])
})
