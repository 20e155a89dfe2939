import { CallPlaces } from '../call-places.ts'
import { type JsonObject, objectIn, objectsIn, textIn } from '../json.ts'

interface Told {
  places: CallPlaces
  /** The id and the name of each call, by its place. */
  said: Map<number, { id: string; name: string }>
}

/** What an answer's calls are told by, whatever its vendor says of them. */
export interface CallRules {
  /** The request's own id, from which those of calls are made that have none. */
  requestId: string
  /** A certain function had to be called: OpenAI ends such an answer with `stop`, and every other one with calls in it with `tool_calls`. */
  forced: boolean
}

/** Whether a request says which function has to be called. */
export const isForced = (toolChoice: unknown): boolean => /^(function|custom)$/.test(textIn(objectIn(toolChoice)?.type))

/** Short enough for OpenAI, which takes no more than 40 characters, and of what all vendors take in an id. */
const ownId = ({ requestId }: CallRules, choice: number, place: number): string =>
  `call_${requestId.replace(/^req_/, '')}_${choice}_${place}`

const endOf = (reason: unknown, called: boolean, { forced }: CallRules): unknown =>
  reason === 'stop' && called && !forced ? 'tool_calls' : reason

const numberOf = ({ index }: JsonObject): number => (typeof index === 'number' ? index : 0)

/**
 * Tells the calls in the chunks of a streamed chat as OpenAI does. Clients put the pieces of a call together by its number, and
 * make one of two that share it, or fail where there is none (Google's own OpenAI wire, and Ollama, which calls them all 0). A call says its id and its name once: OpenAI's client for Python
 * writes what is said of them again behind what was. One without an id gets one, without which no output can be said to be its own;
 * and an answer that has called ends with that, because agents that see `stop` look for no calls.
 */
export class NumberedCalls {
  readonly #rules: CallRules
  readonly #choices = new Map<number, Told>()

  constructor(rules: CallRules) {
    this.#rules = rules
  }

  /** The chunk with its calls numbered, without what they have said already: the very same object where nothing is to be changed. To be told of every chunk once, in order. */
  numbered(chunk: JsonObject): JsonObject {
    if (!objectsIn(chunk.choices).some((choice) => this.#concerns(choice))) return chunk
    const choices = (chunk.choices as unknown[]).map((item) => {
      const choice = objectIn(item)
      return choice ? this.#ended(this.#numbered(choice)) : item
    }) as JsonObject[]
    return choices.some((choice, at) => choice !== (chunk.choices as unknown[])[at]) ? { ...chunk, choices } : chunk
  }

  #concerns(choice: JsonObject): boolean {
    return Boolean(objectIn(choice.delta)?.tool_calls) || (choice.finish_reason === 'stop' && this.#choices.has(numberOf(choice)))
  }

  #ended(choice: JsonObject): JsonObject {
    const { finish_reason: reason } = choice
    const end = endOf(reason, this.#choices.has(numberOf(choice)), this.#rules) as JsonObject['finish_reason']
    return end === reason ? choice : { ...choice, finish_reason: end }
  }

  #numbered(choice: JsonObject): JsonObject {
    const delta = objectIn(choice.delta)
    if (!Array.isArray(delta?.tool_calls) || delta.tool_calls.length === 0) return choice
    const { places, said } = this.#toldOf(choice)
    const calls = delta.tool_calls.map((item) => {
      const call = objectIn(item)
      if (!call) return item
      const place = places.of(call)
      const once = said.has(place) || textIn(call.id) !== '' ? call : { ...call, id: ownId(this.#rules, numberOf(choice), place) }
      const told = saidOnce(once, place, said)
      return place === call.index && told === call ? item : { ...told, index: place }
    })
    return calls.some((call, at) => call !== (delta.tool_calls as unknown[])[at])
      ? { ...choice, delta: { ...delta, tool_calls: calls } }
      : choice
  }

  #toldOf(choice: JsonObject): Told {
    const number = numberOf(choice)
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

/** The choice of a whole answer that stands at a place among them, likewise: its calls have ids. Where it says nothing, its message has no content, and not none of it. */
export function inOurCalls(choice: JsonObject, rules: CallRules, at: number): JsonObject {
  const message = objectIn(choice.message)
  if (!message) return choice
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : []
  const number = typeof choice.index === 'number' ? choice.index : at
  const told = calls.map((item, place) => {
    const call = objectIn(item)
    return call && textIn(call.id) === '' ? { ...call, id: ownId(rules, number, place) } : item
  })
  return {
    ...choice,
    message: {
      ...message,
      ...('content' in message ? {} : { content: null }),
      ...(calls.length > 0 ? { tool_calls: told } : {}),
    },
    finish_reason: endOf(choice.finish_reason, calls.length > 0, rules) as JsonObject['finish_reason'],
  }
}
