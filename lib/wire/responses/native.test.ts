import { describe, expect, it, test } from 'vitest'
import { preparedResponse } from '../testing.ts'
import { generatedText, nativeRequest } from './native.ts'

test('what is counted if no usage is reported is what the model wrote, and not what surrounds it', () => {
  const logprobs = [
    { token: 'Hi', logprob: -0.1, bytes: [72, 105], top_logprobs: [{ token: 'Ho', logprob: -3, bytes: [72, 111] }] },
  ]
  const annotations = [{ type: 'url_citation', start_index: 0, end_index: 2, url: 'https://example.com', title: 'A title' }]
  const sources = [{ type: 'url', url: 'https://example.com' }]
  const refusal = { type: 'refusal', refusal: 'No.' }
  const output = [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'secret' },
    { type: 'web_search_call', action: { type: 'search', query: 'gates', sources } },
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hi “there”.', logprobs, annotations }, refusal],
    },
    { type: 'function_call', name: 'f', arguments: '{"a":1}' },
    { type: 'custom_tool_call', name: 'g', input: 'raw' },
    { type: 'apply_patch_call', operation: { type: 'delete_file', path: 'x' } },
  ]
  expect(generatedText({ output })).toBe(
    'Hm.{"type":"search","query":"gates"}Hi “there”.No.f{"a":1}graw{"type":"delete_file","path":"x"}',
  )
})

describe('what goes out', () => {
  it('is what came in, without what is ours', async () => {
    const body = {
      input: 'Hello.',
      temperature: 0.1,
      metadata: { a: 'b' },
      store: true,
      new_field: { x: 1 },
      presence_penalty: 0,
    }
    expect(nativeRequest(await preparedResponse({ ...body, service_tier: 'auto', background: false }))).toEqual({
      model: 'our/model',
      input: 'Hello.',
      temperature: 0.1,
      new_field: { x: 1 },
    })
  })

  it('asks for encrypted thoughts of a model that thinks', async () => {
    expect(nativeRequest(await preparedResponse({}, { thinks: true })).include).toEqual(['reasoning.encrypted_content'])
    expect(nativeRequest(await preparedResponse({ top_logprobs: 3 })).include).toEqual(['message.output_text.logprobs'])
  })
})
