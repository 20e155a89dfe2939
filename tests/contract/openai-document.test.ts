import { describe, expect, test } from 'vitest'
import { chatAnswer, chatChunk, usageChunk, usageOf } from '../fakes/vendor.ts'
import { loadOpenAiDocument } from '../support/openai-document.ts'

const document = loadOpenAiDocument()

test('a document that is not there is null', () => {
  expect(loadOpenAiDocument('/nowhere/openai-openapi.json')).toBeNull()
})

// If the validators found nothing wrong, the contract suite would be worthless.
describe.skipIf(!document)('the OpenAI document (skipped where ../shared/reference is absent)', () => {
  const problems: NonNullable<typeof document>['findProblems'] = (schema, value) =>
    document?.findProblems(schema, value) ?? ['absent']

  test('takes what is right, null where a schema says "nullable" included', () => {
    const logprobs = { content: null, refusal: null }
    const chunk = chatChunk('Hi', null, { usage: null, service_tier: null })
    expect(problems('CreateChatCompletionResponse', chatAnswer('Hi'))).toEqual([])
    expect(problems('CreateChatCompletionStreamResponse', chunk)).toEqual([])
    expect(problems('CreateChatCompletionStreamResponse', { ...chunk, choices: [{ ...chunk.choices[0], logprobs }] })).toEqual([])
    expect(problems('CreateChatCompletionStreamResponse', usageChunk(usageOf(1, 2)))).toEqual([])
  })

  test.each([
    ['CreateChatCompletionResponse', { ...chatAnswer('Hi'), created: 'today' }],
    ['CreateChatCompletionResponse', { ...chatAnswer('Hi'), object: 'chat.completion.chunk' }],
    ['CreateChatCompletionResponse', { ...chatAnswer('Hi'), choices: [{ index: 0, message: { role: 'assistant' } }] }],
    ['CreateChatCompletionResponse', chatAnswer('Hi', { prompt_tokens: 1 })],
    ['CreateChatCompletionStreamResponse', chatChunk('Hi', 'finished')],
    ['CreateChatCompletionStreamResponse', { ...chatChunk('Hi'), id: null }],
    ['CreateChatCompletionStreamResponse', usageChunk({ prompt_tokens: 1.5, completion_tokens: 1, total_tokens: 2 })],
    ['ListModelsResponse', { object: 'list', data: [{ id: 'a' }] }],
    ['Model', { id: 'a', object: 'model', created: 1 }],
    ['ErrorResponse', { error: { message: 'No.', type: 'x', code: 7, param: null } }],
    ['ErrorResponse', { error: { message: 'No.', type: 'x', code: null } }],
  ] as const)('refuses a wrong %s: %j', (schema, value) => {
    expect(problems(schema, value)).not.toEqual([])
  })
})
