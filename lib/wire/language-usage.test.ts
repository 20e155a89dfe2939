import { expect, it } from 'vitest'
import { finishReasonOf } from './language-usage.ts'

it.each([
  ['stop', 'end_turn', 'stop'],
  ['length', 'max_tokens', 'length'],
  ['content-filter', 'refusal', 'content_filter'],
  ['tool-calls', 'tool_use', 'tool_calls'],
  ['interrupted', undefined, null],
  ['other', 'malformed_tool_use', 'stop'],
  // Bedrock's package has no word for a full context.
  ['other', 'model_context_window_exceeded', 'length'],
] as const)('%s, which its vendor calls %s, is %s', (unified, raw, expected) => {
  expect(finishReasonOf({ unified, raw })).toBe(expected)
})
