import { type JsonObject, objectIn, textIn } from './json.ts'

/**
 * Tells the calls of an answer apart, whose deltas come one by one. OpenAI numbers them from 0 on, one after the other, and so
 * are their places, whatever a vendor counts: from 1 on, or with its other parts of an answer. Google's own OpenAI wire does not: there
 * each name begins another call. Some servers give all calls of a stream the same number: there a name with another id does.
 */
export class CallPlaces {
  /** The call that a vendor's number stands for at present, by its place. */
  readonly #current = new Map<number, number>()
  /** The ids with which calls began, and the places of those that have one. */
  readonly #ids = new Map<number, string>()
  readonly #withId = new Map<string, number>()
  #last: number | null = null
  #next = 0

  /** The place of the call that a delta begins or goes on with. */
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

/** A numbered piece of a call may repeat its name or its id, and an id that is made anew for each piece says nothing. */
function isAnother(delta: JsonObject, id: string, known: string): boolean {
  const named = textIn((objectIn(delta.function) ?? objectIn(delta.custom))?.name) !== ''
  return named && (typeof delta.index !== 'number' || (id !== '' && known !== '' && id !== known))
}
