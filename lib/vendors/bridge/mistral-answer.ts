import { fieldIn } from '../../domain/field-in.ts'
import { isPlainObject } from '../../domain/is-plain-object.ts'
import type { Fields } from '../vendor.ts'
import { type AnswerCorrections, listIn, withArgumentsAsText, withIdAndArguments } from './correct-answer.ts'

const CONTENT_TYPES = new Set<unknown>(['text', 'thinking'])

/** Content and thoughts without references and what else is not text. */
function textsOf(content: readonly unknown[]): unknown[] {
  return content
    .filter((part) => CONTENT_TYPES.has(fieldIn(part, 'type')))
    .map((part) => {
      if (fieldIn(part, 'type') === 'text') return part
      return { type: 'thinking', thinking: listIn(part, 'thinking').filter((thought) => fieldIn(thought, 'type') === 'text') }
    })
}

function shown(message: Fields, ofCall: (call: unknown) => unknown): Fields {
  const { content, tool_calls: calls } = message
  return {
    ...message,
    ...(Array.isArray(content) ? { content: textsOf(content) } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(ofCall) } : {}),
  }
}

/** Its servers, and those that copy it, leave ids out of calls and send arguments as objects. */
function corrected(answer: Fields, name: 'message' | 'delta', ofCall: (call: unknown) => unknown): Fields {
  if (!Array.isArray(answer.choices)) return answer
  const choices = answer.choices.map((choice) => {
    const message = fieldIn(choice, name)
    return isPlainObject(message) ? { ...choice, [name]: shown(message, ofCall) } : choice
  })
  return { ...answer, choices }
}

export const mistralCorrections: AnswerCorrections = {
  answer: (answer) => corrected(answer, 'message', withIdAndArguments),
  events: () => (event) => [corrected(event, 'delta', withArgumentsAsText)],
}
