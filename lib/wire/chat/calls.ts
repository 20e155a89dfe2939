import { CallPlaces } from '../call-places.ts'
import { type JsonObject, objectIn, objectsIn } from '../json.ts'

/**
 * Numbers the calls in the chunks of a streamed chat as OpenAI does: clients put the pieces of a call together by its number, and
 * make one of two that share it, or fail where there is none (Google's own OpenAI wire, and Ollama, which calls them all 0).
 */
export class NumberedCalls {
  readonly #places = new Map<number, CallPlaces>()

  /** The chunk with its calls numbered: the very same object where they are already. To be told of every chunk once, in order. */
  numbered(chunk: JsonObject): JsonObject {
    let changed = false
    const inNumbers = (choice: JsonObject): JsonObject => {
      const delta = objectIn(choice.delta)
      if (!Array.isArray(delta?.tool_calls) || delta.tool_calls.length === 0) return choice
      const places = this.#placesOf(choice)
      const calls = delta.tool_calls.map((item) => {
        const call = objectIn(item)
        const place = call && places.of(call)
        if (!call || place === call.index) return item
        changed = true
        return { ...call, index: place }
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

  #placesOf({ index }: JsonObject): CallPlaces {
    const number = typeof index === 'number' ? index : 0
    const known = this.#places.get(number) ?? new CallPlaces()
    this.#places.set(number, known)
    return known
  }
}
