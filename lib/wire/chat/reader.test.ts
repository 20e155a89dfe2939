import { expect, test } from 'vitest'
import { ChatReader } from './reader.ts'

const chunk = (delta: object, finish: string | null = null, index = 0) => ({ choices: [{ index, delta, finish_reason: finish }] })
const END = chunk({}, 'stop')
/** As OpenRouter reports the usage. */
const COUNTED = { ...chunk({ role: 'assistant', content: '' }), usage: { prompt_tokens: 1, completion_tokens: 1 } }

test.each<[string, (object | string)[], boolean]>([
  ['words and an end', [chunk({ content: 'a' }), END], true],
  ['words that are done', [chunk({ content: 'a' }), '[DONE]'], true],
  ['an end alone', [END, '[DONE]'], true],
  ['a count behind the end', [chunk({ content: 'a' }), END, COUNTED], true],
  ['nothing said, with a count behind the end', [END, COUNTED, '[DONE]'], true],
  ['a role alone', [COUNTED, '[DONE]'], false],
  ['words without an end', [chunk({ content: 'a' })], false],
  ['one of two that has not ended', [chunk({ content: 'a' }), chunk({ content: 'b' }, null, 1), END], false],
  ['nothing', ['[DONE]'], false],
])('%s', (_, events, whole) => {
  const reader = new ChatReader()
  for (const event of events) {
    const data = typeof event === 'string' ? event : JSON.stringify(event)
    reader.push(Buffer.from(`data: ${data}\n\n`))
  }
  expect(reader.complete()).toBe(whole)
})
