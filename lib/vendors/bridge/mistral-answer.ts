import { fieldIn } from '../../domain/field-in.ts'
import {
  type AnswerCorrections,
  isObject,
  listIn,
  type VendorObject,
  withArgumentsAsText,
  withIdAndArguments,
} from './correct-answer.ts'

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

function shown(message: VendorObject, ofCall: (call: unknown) => unknown): VendorObject {
  const { content, tool_calls: calls } = message
  return {
    ...message,
    ...(Array.isArray(content) ? { content: textsOf(content) } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(ofCall) } : {}),
  }
}

/** Its servers, and those that copy it, leave ids out of calls and send arguments as objects. */
function corrected(answer: VendorObject, name: 'message' | 'delta', ofCall: (call: unknown) => unknown): VendorObject {
  if (!Array.isArray(answer.choices)) return answer
  const choices = answer.choices.map((choice) => {
    const message = fieldIn(choice, name)
    return isObject(message) ? { ...choice, [name]: shown(message, ofCall) } : choice
  })
  return { ...answer, choices }
}

export const mistralCorrections: AnswerCorrections = {
  answer: (answer) => corrected(answer, 'message', withIdAndArguments),
  events: () => (event) => [corrected(event, 'delta', withArgumentsAsText)],
}
