import { expect, test } from 'vitest'
import { VENDOR_KINDS } from '../domain/vendor-kind-list.ts'
import { assumedCapabilities } from './assumed-capabilities.ts'

test.each([
  ['openai', 'o1'],
  ['openai', 'o3-mini'],
  ['openai', 'gpt-5.2'],
  ['openai', 'gpt-5-pro'],
  ['azure', 'gpt-5.1-codex'],
  ['xai', 'grok-4'],
  ['xai', 'grok-4-fast-reasoning'],
  ['openrouter', 'z-ai/glm-5'],
  ['openai-compatible', 'house-model'],
  ['google-vertex', 'gemini-9-pro'],
])('at %s %s may think unseen', (kind, model) => {
  expect(assumedCapabilities(kind, 'chat', model)).toEqual(['hidden-reasoning'])
})

test.each([
  ['openai', 'gpt-4-turbo'],
  ['openai', 'chatgpt-4o-latest'],
  ['openai', 'gpt-5-chat-latest'],
  ['xai', 'grok-3'],
  ['xai', 'grok-4-fast-non-reasoning'],
  ['azure', 'my deployment'],
  ['deepseek', 'deepseek-reasoner'],
  ['vllm', 'qwen3'],
])('at %s %s does not', (kind, model) => {
  expect(assumedCapabilities(kind, 'chat', model)).toEqual([])
})

test('of every kind of vendor an answer is known', () => {
  for (const { id } of VENDOR_KINDS) expect(assumedCapabilities(id, 'chat', 'x')).toBeInstanceOf(Array)
})

test('what does not chat does not think, at any kind of vendor', () => {
  for (const { id } of VENDOR_KINDS) expect(assumedCapabilities(id, 'embedding', 'o3')).toEqual([])
})
