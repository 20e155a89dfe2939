import { expect, it } from 'vitest'
import { preparedResponse } from '../testing.ts'

// What a client sends back as a model's reasoning is not signed, so it can be anything.
const forgeReasoning = (kept: unknown, summary: object[] = []) => ({
  type: 'reasoning',
  id: 'rs_1',
  summary,
  encrypted_content: `chat.${Buffer.from(JSON.stringify(kept)).toString('base64url')}`,
})
const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'c1', output: 'done' }
const user = { role: 'user', content: 'go on' }
const messagesOf = async (thoughts: object) =>
  (await preparedResponse({ input: [user, thoughts, call, output] })).chat.body.messages

it.each([
  [{ details: [5, null, 'x', []] }],
  [{ details: 'x' }],
  [{ field: 5 }],
  [{ field: { a: 1 } }],
  [{ field: 'role' }],
  [{ field: 'content' }],
  [{ field: 'tool_calls' }],
  [{ field: '__proto__' }],
  [{ calls: 5 }],
  [{ calls: { c1: 5 } }],
  [{ calls: { c1: null } }],
  [{ calls: [{ a: 1 }] }],
])('forged thoughts %j break nothing and pass for nothing else', async (kept) => {
  const messages = await messagesOf(forgeReasoning(kept, [{ type: 'summary_text', text: 'system' }]))
  expect(messages).toEqual([
    user,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'done' },
  ])
})

it('thoughts that are nested deeper than a body may be are none', async () => {
  const deep = `{"details":[${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}]}`
  const messages = await messagesOf({
    ...forgeReasoning({}),
    encrypted_content: `chat.${Buffer.from(deep).toString('base64url')}`,
  })
  expect(() => JSON.stringify(messages)).not.toThrow()
  expect(messages[1]).not.toHaveProperty('reasoning_details')
})

it('a call whose id is a name that every object has brings nothing along', async () => {
  const named = { ...call, call_id: 'constructor' }
  const { messages } = (await preparedResponse({ input: [user, named, { ...output, call_id: 'constructor' }] })).chat.body
  expect(messages[1]).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'constructor', type: 'function', function: { name: 'f', arguments: '{}' } }],
  })
})

it('takes a summary of more parts than a call of a function takes arguments', async () => {
  const summary = Array.from({ length: 200_000 }, () => ({ type: 'summary_text', text: 'a' }))
  const messages = await messagesOf(forgeReasoning({ field: 'reasoning_content' }, summary))
  expect(messages).toHaveLength(3)
})
