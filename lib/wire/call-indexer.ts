import { type JsonObject, objectIn, textIn } from './json.ts'

/** What a call has said so far. */
interface CallState {
  id: string
  name: string
  /** Its JSON; empty for a custom tool, whose input is any text. */
  args: string
  /** The last piece of its arguments that is not empty. */
  lastArgs: string
}

/**
 * Tells the calls of an answer apart while their deltas arrive. OpenAI numbers calls consecutively from 0. So are the places
 * here, even if a vendor counts from 1, or counts other parts of the answer too. Google's own OpenAI wire does not number calls:
 * each name begins another call. Some servers give all calls of a stream the same number: a name begins another call once the
 * arguments before it are complete.
 */
export class CallIndexer {
  /** The place of the call that each of the vendor's numbers currently stands for. */
  readonly #indexByVendorIndex = new Map<number, number>()
  /** Each call, by its place, and the place of each call that has an id. */
  readonly #calls: CallState[] = []
  readonly #indexById = new Map<string, number>()
  #last: number | null = null

  /** The place of the call that a delta begins or continues. */
  indexOf(delta: JsonObject): number {
    const vendorIndex = typeof delta.index === 'number' ? delta.index : null
    const piece = stateOf(delta)
    const known =
      vendorIndex === null ? (this.#indexById.get(piece.id) ?? this.#last) : (this.#indexByVendorIndex.get(vendorIndex) ?? null)
    const call = known === null ? undefined : this.#calls[known]
    if (known !== null && call && !startsNewCall(piece, call, vendorIndex !== null)) {
      call.args += piece.args
      call.lastArgs = piece.args || call.lastArgs
      call.name ||= piece.name
      return known
    }
    const callIndex = this.#calls.push(piece) - 1
    if (vendorIndex !== null) this.#indexByVendorIndex.set(vendorIndex, callIndex)
    if (piece.id !== '') this.#indexById.set(piece.id, callIndex)
    this.#last = callIndex
    return callIndex
  }
}

function stateOf(delta: JsonObject): CallState {
  const body = objectIn(delta.function) ?? objectIn(delta.custom)
  const args = textIn(body?.arguments)
  return { id: textIn(delta.id), name: textIn(body?.name), args, lastArgs: args }
}

/**
 * Whether a piece begins another call than the one before it. An id without a name says nothing. Without numbers each name begins
 * one, unless its id is that of a call that has only begun. A numbered piece may repeat its name, and its id may be new each time
 * (vLLM, if a function is forced): it begins a call only if the arguments before it are complete, or there are none yet, and
 * something tells the two apart.
 */
function startsNewCall(piece: CallState, call: CallState, isNumbered: boolean): boolean {
  if (piece.name === '') return false
  const hasIds = piece.id !== '' && call.id !== ''
  const isSameId = hasIds && piece.id === call.id
  if (!isNumbered) return !isSameId || (isComplete(call) && piece.args !== '')
  if (hasIds) return !isSameId && (call.args === '' || isComplete(call))
  return isComplete(call) && (piece.name !== call.name || piece.args !== '')
}

/** Whether a call's arguments are a whole object. They are parsed only if they end like one, because they may be long. */
function isComplete({ args, lastArgs }: CallState): boolean {
  if (!/\}\s*$/.test(lastArgs)) return false
  try {
    JSON.parse(args)
    return true
  } catch {
    return false
  }
}
