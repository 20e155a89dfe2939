import { fieldIn } from '../../domain/field-in.ts'
import { isPlainObject } from '../../domain/is-plain-object.ts'
import type { Fields } from '../vendor.ts'
import { type AnswerCorrections, listIn, withFields } from './correct-answer.ts'

/**
 * Says in each event what was searched for in all events so far. The package keeps the last event that says anything of a search, and
 * the last one of a stream can be empty.
 */
function withQueries(event: Fields, known: Set<unknown>): Fields {
  const [candidate, ...others] = listIn(event, 'candidates')
  const grounding = fieldIn(candidate, 'groundingMetadata')
  if (!isPlainObject(grounding)) return event
  for (const query of listIn(grounding, 'webSearchQueries')) known.add(query)
  if (known.size === 0) return event
  const groundingMetadata = withFields(grounding, { webSearchQueries: [...known] })
  return withFields(event, { candidates: [withFields(candidate, { groundingMetadata }), ...others] })
}

export const googleCorrections: AnswerCorrections = {
  answer: (answer) => answer,
  events() {
    const known = new Set<unknown>()
    return (event) => [withQueries(event, known)]
  },
}
