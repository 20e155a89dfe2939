import { type JsonObject, objectIn, textIn } from './json.ts'

/**
 * Tells the calls of an answer apart while their deltas arrive. OpenAI numbers calls consecutively from 0. So are the places
 * here, even if a vendor counts from 1, or counts other parts of the answer too. Google's own OpenAI wire does not number calls:
 * each name begins another call. Some servers give all calls of a stream the same number: a name with another id begins another
 * call.
 */
export class CallIndexer {
  /** The place of the call that each of the vendor's numbers currently stands for. */
  readonly #indexByVendorIndex = new Map<number, number>()
  /** The id that each call began with, by its place, and the place of each call that has an id. */
  readonly #idByIndex = new Map<number, string>()
  readonly #indexById = new Map<string, number>()
  #last: number | null = null
  #next = 0

  /** The place of the call that a delta begins or continues. */
  indexOf(delta: JsonObject): number {
    const vendorIndex = typeof delta.index === 'number' ? delta.index : null
    const id = textIn(delta.id)
    const known =
      vendorIndex === null ? (this.#indexById.get(id) ?? this.#last) : (this.#indexByVendorIndex.get(vendorIndex) ?? null)
    if (known !== null && !startsNewCall(delta, id, this.#idByIndex.get(known) ?? '')) return known
    const callIndex = this.#next++
    if (vendorIndex !== null) this.#indexByVendorIndex.set(vendorIndex, callIndex)
    if (id !== '') this.#indexById.set(id, callIndex)
    this.#idByIndex.set(callIndex, id)
    this.#last = callIndex
    return callIndex
  }
}

/**
 * Whether a delta begins another call. A numbered piece of a call may repeat its name or its id. An id without a name says
 * nothing, because some are new with each piece.
 */
function startsNewCall(delta: JsonObject, id: string, known: string): boolean {
  const hasName = textIn((objectIn(delta.function) ?? objectIn(delta.custom))?.name) !== ''
  return hasName && (typeof delta.index !== 'number' || (id !== '' && known !== '' && id !== known))
}
