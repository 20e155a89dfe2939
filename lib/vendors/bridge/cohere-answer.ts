import { fieldIn } from '../../domain/field-in.ts'
import { isPlainObject } from '../../domain/is-plain-object.ts'
import type { Fields } from '../vendor.ts'
import { type AnswerCorrections, listIn, withArgumentsAsText, withFields, withIdAndArguments } from './correct-answer.ts'

const CONTENT_TYPES = new Set<unknown>(['text', 'thinking'])

const EVENTS = new Set<unknown>([
  'message-start',
  'message-end',
  'content-start',
  'content-delta',
  'content-end',
  'tool-call-start',
  'tool-call-delta',
  'tool-call-end',
])

const isKnownContent = (content: unknown): boolean => CONTENT_TYPES.has(fieldIn(content, 'type'))

/** What the model says before its calls, which the package drops: the text that other vendors send beside calls. */
function planOf(message: unknown): string | null {
  const plan = fieldIn(message, 'tool_plan')
  return typeof plan === 'string' && plan !== '' ? plan : null
}

/** The package refuses citations of anything but documents with a title, such as of what a tool returned. They are not shown. */
function shown(message: Fields): Fields {
  const { citations: _, tool_plan: _plan, ...rest } = message
  const plan = planOf(message)
  const content = [...(plan === null ? [] : [{ type: 'text', text: plan }]), ...listIn(message, 'content').filter(isKnownContent)]
  const calls = message.tool_calls
  return { ...rest, content, ...(Array.isArray(calls) ? { tool_calls: calls.map(withIdAndArguments) } : {}) }
}

function eventsOf(event: Fields): readonly Fields[] {
  const message = fieldIn(event.delta, 'message')
  switch (event.type) {
    case 'tool-plan-delta': {
      const plan = planOf(message)
      return plan === null ? [] : [{ type: 'content-delta', index: 0, delta: { message: { content: { text: plan } } } }]
    }
    case 'content-start':
      return isKnownContent(fieldIn(message, 'content')) ? [event] : []
    case 'tool-call-start': {
      const call = fieldIn(message, 'tool_calls')
      return [withFields(event, { delta: { message: { tool_calls: withArgumentsAsText(call) } } })]
    }
    default:
      return EVENTS.has(event.type) ? [event] : []
  }
}

export const cohereCorrections: AnswerCorrections = {
  answer: (answer) => (isPlainObject(answer.message) ? { ...answer, message: shown(answer.message) } : answer),
  events: () => eventsOf,
}
