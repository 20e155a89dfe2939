import { expect, it } from 'vitest'
import { chatPrompt } from './prompt.ts'

const SKILLS = {
  vendor: 'anthropic',
  thoughts: { format: 'anthropic-claude-v1', signature: 'signature', hidden: null },
  imageUrls: false,
  audio: false,
  video: false,
  files: [],
  caches: false,
}

it('takes more parts of a system message than a call of a function takes arguments', () => {
  const content = Array.from({ length: 200_000 }, () => ({ type: 'text' as const, text: 'a' }))
  const messages = [
    { role: 'system' as const, content },
    { role: 'user' as const, content: 'b' },
  ]
  const prompt = chatPrompt(messages, SKILLS, { ignored: new Set(), detail: undefined })
  expect(prompt).toHaveLength(200_001)
  expect(prompt.at(-1)).toMatchObject({ role: 'user' })
})
