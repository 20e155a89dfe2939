import { newUuid } from '../new-uuid.ts'
import type { Answer } from './chat-types.ts'
import { NO_FIGURES } from './figures.ts'

/** An answer that is still empty, with what is already known about it. */
export const newAnswer = (model: string, known: Partial<Answer>): Answer => ({
  id: newUuid(),
  model,
  state: 'running',
  text: '',
  reasoning: '',
  thoughts: [],
  calls: [],
  finish: null,
  figures: NO_FIGURES,
  failure: null,
  body: null,
  ...known,
})
