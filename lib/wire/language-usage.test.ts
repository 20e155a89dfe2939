import { expect, it } from 'vitest'
import { finishReasonOf, hasFailed, hasRequestFailed, readLanguageUsage } from './language-usage.ts'

it.each([
  ['stop', 'end_turn', 'stop'],
  ['length', 'max_tokens', 'length'],
  ['content-filter', 'refusal', 'content_filter'],
  ['tool-calls', 'tool_use', 'tool_calls'],
  ['interrupted', undefined, null],
  ['other', 'malformed_tool_use', 'stop'],
  // Bedrock's package has no word for a full context.
  ['other', 'model_context_window_exceeded', 'length'],
  // Claude has searched as often as it may in one answer, and has more to say.
  ['stop', 'pause_turn', 'length'],
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
  ['other', undefined, true, false],
  ['other', 'pause_turn', false, false],
  ['stop', 'OTHER', false, false],
] as const)('%s, which its vendor calls %s: failed %s, because of the request %s', (unified, raw, failed, ofRequest) => {
  expect([hasFailed({ unified, raw }), hasRequestFailed({ unified, raw })]).toEqual([failed, ofRequest])
})

it.each([
  ['apart from the text', { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }] }, 1290n],
  [
    'in several entries',
    {
      candidatesTokensDetails: [
        { modality: 'TEXT', tokenCount: 9 },
        { modality: 'IMAGE', tokenCount: 700 },
        { modality: 'IMAGE', tokenCount: 590 },
      ],
    },
    1290n,
  ],
  ['never more than the output without thoughts', { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 9999 }] }, 1300n],
  ['not from what makes no sense', { candidatesTokensDetails: [null, { modality: 'IMAGE', tokenCount: -1 }] }, 0n],
  ['not from what is no list', { candidatesTokensDetails: 5 }, 0n],
  ['not where there are no details', undefined, 0n],
])("the tokens of images are taken from Google's own usage, %s", (_, raw, images) => {
  const usage = readLanguageUsage({
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: undefined },
    outputTokens: { total: 1400, text: 1300, reasoning: 100 },
    ...(raw ? { raw: raw as never } : {}),
  })
  expect(usage).toEqual({
    input: 10n,
    cachedInput: 0n,
    cacheWrite: 0n,
    output: 1400n - images,
    reasoning: 100n,
    requests: 1n,
    ...(images === 0n ? {} : { media: { image_output: images } }),
  })
})
