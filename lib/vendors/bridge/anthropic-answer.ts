import { fieldIn } from '../../domain/field-in.ts'
import type { Fields } from '../vendor.ts'
import { type AnswerCorrections, withFields } from './correct-answer.ts'

/** The blocks that a request of ours can lead to. Anthropic adds types without a new version of its API ("Versions"). */
const BLOCK_FIELDS = new Map<unknown, string | null>([
  ['text', 'text'],
  ['thinking', 'thinking'],
  ['redacted_thinking', null],
  ['tool_use', null],
  ['server_tool_use', null],
  ['web_search_tool_result', null],
])

const EVENTS = new Set<unknown>(['message_start', 'message_delta', 'message_stop', 'ping', 'error'])

const DELTAS = new Set<unknown>(['text_delta', 'thinking_delta', 'signature_delta', 'input_json_delta'])

/** Anthropic's own tools have more names than the one that is asked for. */
const isKnownBlock = (block: unknown): boolean => {
  const type = fieldIn(block, 'type')
  return BLOCK_FIELDS.has(type) && (type !== 'server_tool_use' || fieldIn(block, 'name') === 'web_search')
}

/**
 * Citations come in more forms than the package knows. Those of web pages are shown: where they are, without what is only to be sent
 * back.
 */
function webCitationsIn(citations: readonly unknown[]): Fields[] {
  return citations.flatMap((citation) => {
    const [type, url, title] = ['type', 'url', 'title'].map((name) => fieldIn(citation, name))
    if (type !== 'web_search_result_location' || typeof url !== 'string') return []
    return [{ type, url, title: typeof title === 'string' ? title : null, cited_text: '', encrypted_index: '' }]
  })
}

/** A delta as its package knows it; none if it does not. */
function knownDelta(event: Fields): Fields[] {
  const type = fieldIn(event.delta, 'type')
  if (type !== 'citations_delta') return DELTAS.has(type) ? [event] : []
  return webCitationsIn([fieldIn(event.delta, 'citation')]).map((citation) => withFields(event, { delta: { type, citation } }))
}

/** What a search found is only for its model to read, and large. Whether the search failed is kept. */
function withoutFindings(block: unknown): Fields {
  if (fieldIn(block, 'type') !== 'web_search_tool_result') return block as Fields
  const content = fieldIn(block, 'content')
  const code = fieldIn(content, 'error_code')
  const error = { type: 'web_search_tool_result_error', error_code: typeof code === 'string' ? code : 'unavailable' }
  return withFields(block, { content: Array.isArray(content) ? [] : error })
}

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
  const cited = fieldIn(block, 'citations')
  const citations = Array.isArray(cited) ? webCitationsIn(cited) : []
  if (!name || typeof content !== 'string' || (content === '' && citations.length === 0)) return [event]
  const deltaOf = (delta: Fields): Fields => ({ type: 'content_block_delta', index, delta })
  return [
    withFields(event, { content_block: withFields(block, { [name]: '', ...(citations.length > 0 ? { citations: [] } : {}) }) }),
    ...citations.map((citation) => deltaOf({ type: 'citations_delta', citation })),
    ...(content === '' ? [] : [deltaOf({ type: `${type}_delta`, [name]: content })]),
  ]
}

/** Leaves out what is not shown, because one unknown type makes the package refuse the whole answer. */
export const anthropicCorrections: AnswerCorrections = {
  answer(answer) {
    const { context_management: _, container: _c, ...rest } = withoutIterations(answer)
    if (!Array.isArray(answer.content)) return rest
    const content = answer.content.filter(isKnownBlock).map((block) => {
      const { citations, ...shown } = withoutFindings(block)
      return Array.isArray(citations) ? { ...shown, citations: webCitationsIn(citations) } : shown
    })
    return { ...rest, content }
  },

  events() {
    const hidden = new Set<unknown>()
    return (event) => {
      switch (event.type) {
        case 'content_block_start':
          if (isKnownBlock(event.content_block))
            return split(withFields(event, { content_block: withoutFindings(event.content_block) }))
          hidden.add(event.index)
          return []
        case 'content_block_delta':
          return hidden.has(event.index) ? [] : knownDelta(event)
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
