import { expect, it } from 'vitest'
import { normalizeFinishReasons } from './finish-reason.ts'

const ending = (...reasons: (string | null)[]) => ({
  id: 'x',
  choices: reasons.map((finish_reason, index) => ({ index, finish_reason })),
})

it.each([
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  // Nothing has ended.
  ['', null],
  ['insufficient_system_resource', 'length'],
])('%s is %s, in whichever choice it stands', (theirs, ours) => {
  expect(normalizeFinishReasons(ending('tool_calls', theirs, null))).toEqual(ending('tool_calls', ours, null))
})

it.each([
  ending('stop'),
  ending('length', null),
  ending('content_filter', 'tool_calls'),
  // Unknown reasons pass as they arrived.
  ending('surprise'),
  ending(),
  { id: 'x' },
  { choices: 'eos' },
  { choices: [null, 5, 'eos'] },
])('%j is the very same object', (answer) => {
  expect(normalizeFinishReasons(answer)).toBe(answer)
})
