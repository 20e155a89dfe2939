import { type JsonObject, objectIn, textIn } from './json.ts'

/**
 * Tells the calls of an answer apart while their deltas arrive. OpenAI numbers calls consecutively from 0. So are the places
 * here, even if a vendor counts from 1, or counts other parts of the answer too. Google's own OpenAI wire does not number calls:
 * each name begins another call. Some servers give all calls of a stream the same number: a name with another id begins another
 * call.
 */
export class CallPlaces {
  /** The place of the call that each of the vendor's numbers currently stands for. */
  readonly #current = new Map<number, number>()
  /** The id that each call began with, by its place, and the place of each call that has an id. */
  readonly #ids = new Map<number, string>()
  readonly #withId = new Map<string, number>()
  #last: number | null = null
  #next = 0

  /** The place of the call that a delta begins or continues. */
  of(delta: JsonObject): number {
    const number = typeof delta.index === 'number' ? delta.index : null
    const id = textIn(delta.id)
    const known = number === null ? (this.#withId.get(id) ?? this.#last) : (this.#current.get(number) ?? null)
    if (known !== null && !isAnother(delta, id, this.#ids.get(known) ?? '')) return known
    const place = this.#next++
    if (number !== null) this.#current.set(number, place)
    if (id !== '') this.#withId.set(id, place)
    this.#ids.set(place, id)
    this.#last = place
    return place
  }
}

/**
 * Whether a delta begins another call. A numbered piece of a call may repeat its name or its id. An id without a name says
 * nothing, because some are new with each piece.
 */
function isAnother(delta: JsonObject, id: string, known: string): boolean {
  const named = textIn((objectIn(delta.function) ?? objectIn(delta.custom))?.name) !== ''
  return named && (typeof delta.index !== 'number' || (id !== '' && known !== '' && id !== known))
}
