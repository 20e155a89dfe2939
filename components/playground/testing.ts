/** Helpers for tests of conversations. */
import type { Answer, Exchange } from './chat-types.ts'
import { newAnswer } from './new-answer.ts'

export const answer = (differing: Partial<Answer> = {}): Answer => newAnswer('m', { id: 'a1', state: 'done', ...differing })

export const exchange = (id: string, text: string, ...lanes: Answer[][]): Exchange => ({
  id,
  prompt: { text, pictures: [] },
  lanes,
})
