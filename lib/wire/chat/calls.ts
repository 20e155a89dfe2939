import { CallPlaces } from '../call-places.ts'
import { type JsonObject, objectIn, objectsIn, textIn } from '../json.ts'

interface Told {
  places: CallPlaces
  /** The id and the name of each call, by its place. */
  said: Map<number, { id: string; name: string }>
}

/**
 * Numbers the calls in the chunks of a streamed chat as OpenAI does: clients put the pieces of a call together by its number, and
 * make one of two that share it, or fail where there is none (Google's own OpenAI wire, and Ollama, which calls them all 0). A call says its id and its name once: OpenAI's client for Python
 * writes what is said of them again behind what was.
 */
export class NumberedCalls {
  readonly #choices = new Map<number, Told>()

  /** The chunk with its calls numbered, without what they have said already: the very same object where nothing is to be changed. To be told of every chunk once, in order. */
  numbered(chunk: JsonObject): JsonObject {
    let changed = false
    const inNumbers = (choice: JsonObject): JsonObject => {
      const delta = objectIn(choice.delta)
      if (!Array.isArray(delta?.tool_calls) || delta.tool_calls.length === 0) return choice
      const { places, said } = this.#toldOf(choice)
      const calls = delta.tool_calls.map((item) => {
        const call = objectIn(item)
        if (!call) return item
        const place = places.of(call)
        const once = saidOnce(call, place, said)
        if (place === call.index && once === call) return item
        changed = true
        return { ...once, index: place }
      })
      return { ...choice, delta: { ...delta, tool_calls: calls } }
    }
    if (!objectsIn(chunk.choices).some((choice) => objectIn(choice.delta)?.tool_calls)) return chunk
    const choices = (chunk.choices as unknown[]).map((item) => {
      const choice = objectIn(item)
      return choice ? inNumbers(choice) : item
    }) as JsonObject[]
    return changed ? { ...chunk, choices } : chunk
  }

  #toldOf({ index }: JsonObject): Told {
    const number = typeof index === 'number' ? index : 0
    const known = this.#choices.get(number) ?? { places: new CallPlaces(), said: new Map() }
    this.#choices.set(number, known)
    return known
  }
}

/** A piece of a call without an id where it has one, and without its name where it has that. */
function saidOnce(call: JsonObject, place: number, said: Told['said']): JsonObject {
  const known = said.get(place) ?? { id: '', name: '' }
  const { id, ...rest } = call
  const body = objectIn(call.function)
  const { name, ...args } = body ?? {}
  const hasId = known.id !== '' && textIn(id) !== ''
  const hasName = known.name !== '' && name === known.name
  said.set(place, { id: known.id || textIn(id), name: known.name || textIn(name) })
  if (!hasId && !hasName) return call
  return { ...(hasId ? rest : call), ...(hasName ? { function: args } : {}) }
}
