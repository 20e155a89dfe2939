import { fieldIn } from '../../domain/field-in.ts'
import type { Fields } from '../vendor.ts'
import { type AnswerCorrections, withFields } from './correct-answer.ts'

/** The blocks that a request of ours can lead to. Anthropic adds types without a new version of its API ("Versions"). */
const BLOCK_FIELDS = new Map<unknown, string | null>([
  ['text', 'text'],
  ['thinking', 'thinking'],
  ['redacted_thinking', null],
  ['tool_use', null],
])

const EVENTS = new Set<unknown>(['message_start', 'message_delta', 'message_stop', 'ping', 'error'])

/** Citations are not shown, and they come in more forms than the package knows. */
const DELTAS = new Set<unknown>(['text_delta', 'thinking_delta', 'signature_delta', 'input_json_delta'])

const isKnownBlock = (block: unknown): boolean => BLOCK_FIELDS.has(fieldIn(block, 'type'))

/** The usage without its parts, of which the package does not know all kinds. The totals are those of the answer. */
function withoutIterations(answer: Fields): Fields {
  const { iterations: _, ...usage } = (answer.usage ?? {}) as Record<string, unknown>
  return answer.usage ? withFields(answer, { usage }) : answer
}

/** A block that begins with content. The package reads the content of deltas only. */
function split(event: Fields): readonly Fields[] {
  const { content_block: block, index } = event
  const type = fieldIn(block, 'type')
  const name = BLOCK_FIELDS.get(type)
  const content = name ? fieldIn(block, name) : ''
  if (!name || content === '' || typeof content !== 'string') return [event]
  return [
    withFields(event, { content_block: withFields(block, { [name]: '' }) }),
    { type: 'content_block_delta', index, delta: { type: `${type}_delta`, [name]: content } },
  ]
}

/** Leaves out what is not shown, because one unknown type makes the package refuse the whole answer. */
export const anthropicCorrections: AnswerCorrections = {
  answer(answer) {
    const { context_management: _, container: _c, ...rest } = withoutIterations(answer)
    if (!Array.isArray(answer.content)) return rest
    const content = answer.content.filter(isKnownBlock).map((block) => {
      const { citations: _, ...shown } = block as Record<string, unknown>
      return shown
    })
    return { ...rest, content }
  },

  events() {
    const hidden = new Set<unknown>()
    return (event) => {
      switch (event.type) {
        case 'content_block_start':
          if (isKnownBlock(event.content_block)) return split(event)
          hidden.add(event.index)
          return []
        case 'content_block_delta':
          return hidden.has(event.index) || !DELTAS.has(fieldIn(event.delta, 'type')) ? [] : [event]
        case 'content_block_stop':
          return hidden.delete(event.index) ? [] : [event]
        case 'message_delta': {
          const { context_management: _, ...rest } = withoutIterations(event)
          return [rest]
        }
        default:
          return EVENTS.has(event.type) ? [event] : []
      }
    }
  },
}
