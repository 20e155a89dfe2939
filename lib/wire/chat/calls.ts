import { CallIndexer } from '../call-indexer.ts'
import { type JsonObject, objectIn, objectsIn, textIn } from '../json.ts'

interface ChoiceCalls {
  indexer: CallIndexer
  /** The id and the name of each call, by its place. */
  reported: Map<number, { id: string; name: string }>
}

/** The rules for writing an answer's calls, whatever its vendor sends. */
export interface CallRules {
  /** The request's own id, from which ids are made for calls that have none. */
  requestId: string
  /**
   * Whether a certain function had to be called. OpenAI ends such an answer with `stop`, and every other answer that has calls
   * with `tool_calls`.
   */
  forced: boolean
}

/** Whether a request says which function has to be called. */
export const isForced = (toolChoice: unknown): boolean => /^(function|custom)$/.test(textIn(objectIn(toolChoice)?.type))

/**
 * An id for a call. It fits into the 40 characters that OpenAI accepts, and has only characters that all vendors accept in an id.
 */
const generatedCallId = ({ requestId }: CallRules, choice: number, place: number): string =>
  `call_${requestId.replace(/^req_/, '')}_${choice}_${place}`

const finishReasonFor = (reason: unknown, called: boolean, { forced }: CallRules): unknown =>
  reason === 'stop' && called && !forced ? 'tool_calls' : reason

const choiceIndexOf = ({ index }: JsonObject): number => (typeof index === 'number' ? index : 0)

/**
 * Writes the calls in the chunks of a streamed chat as OpenAI does. Clients put the pieces of a call together by its number. They
 * merge two calls that share one, or fail if there is none (Google's own OpenAI wire has none, and Ollama numbers all calls 0). A
 * call has its id and its name only once, because OpenAI's client for Python appends a repeated one to the first. A call without
 * an id gets one, because otherwise no output could be matched to it, and one without a type is a function's. An answer with calls
 * ends with `tool_calls`, because agents that see `stop` look for no calls.
 */
export class CallNormalizer {
  readonly #rules: CallRules
  readonly #choices = new Map<number, ChoiceCalls>()

  constructor(rules: CallRules) {
    this.#rules = rules
  }

  /**
   * The chunk with its calls numbered and without what they have said already: the same object if nothing changes. Has to be
   * called once for every chunk, in order.
   */
  normalize(chunk: JsonObject): JsonObject {
    if (!objectsIn(chunk.choices).some((choice) => this.#isAffected(choice))) return chunk
    const choices = (chunk.choices as unknown[]).map((item) => {
      const choice = objectIn(item)
      return choice ? this.#withFinishReason(this.#normalizeCalls(choice)) : item
    }) as JsonObject[]
    return choices.some((choice, at) => choice !== (chunk.choices as unknown[])[at]) ? { ...chunk, choices } : chunk
  }

  #isAffected(choice: JsonObject): boolean {
    return (
      Boolean(objectIn(choice.delta)?.tool_calls) || (choice.finish_reason === 'stop' && this.#choices.has(choiceIndexOf(choice)))
    )
  }

  #withFinishReason(choice: JsonObject): JsonObject {
    const { finish_reason: reason } = choice
    const end = finishReasonFor(reason, this.#choices.has(choiceIndexOf(choice)), this.#rules) as JsonObject['finish_reason']
    return end === reason ? choice : { ...choice, finish_reason: end }
  }

  #normalizeCalls(choice: JsonObject): JsonObject {
    const delta = objectIn(choice.delta)
    if (!Array.isArray(delta?.tool_calls) || delta.tool_calls.length === 0) return choice
    const { indexer, reported } = this.#callsOf(choice)
    const calls = delta.tool_calls.map((item) => {
      const call = objectIn(item)
      if (!call) return item
      const place = indexer.indexOf(call)
      const begun = reported.has(place) ? call : this.#withIdentity(call, choiceIndexOf(choice), place, reported)
      const normalized = withoutRepeats(begun, place, reported)
      return place === call.index && normalized === call ? item : { ...normalized, index: place }
    })
    return calls.some((call, at) => call !== (delta.tool_calls as unknown[])[at])
      ? { ...choice, delta: { ...delta, tool_calls: calls } }
      : choice
  }

  /** The piece that begins a call. */
  #withIdentity(call: JsonObject, choice: number, place: number, reported: ChoiceCalls['reported']): JsonObject {
    const isTaken = [...reported.values()].some(({ id }) => id === call.id)
    return withIdentity(call, generatedCallId(this.#rules, choice, place), isTaken)
  }

  #callsOf(choice: JsonObject): ChoiceCalls {
    const number = choiceIndexOf(choice)
    const known = this.#choices.get(number) ?? { indexer: new CallIndexer(), reported: new Map() }
    this.#choices.set(number, known)
    return known
  }
}

/**
 * A call, or the piece that begins it, with an id and a type: the same object if it has both. `isTaken`: another call of the answer
 * has its id, and two outputs with one id could not be told apart.
 */
function withIdentity(call: JsonObject, generatedId: string, isTaken: boolean): JsonObject {
  const hasId = textIn(call.id) !== '' && !isTaken
  const hasType = textIn(call.type) !== '' || objectIn(call.function) === null
  if (hasId && hasType) return call
  return { ...call, ...(hasId ? {} : { id: generatedId }), ...(hasType ? {} : { type: 'function' }) }
}

/** A piece of a call, without an id or a name that the call has already. */
function withoutRepeats(call: JsonObject, place: number, reported: ChoiceCalls['reported']): JsonObject {
  const known = reported.get(place) ?? { id: '', name: '' }
  const { id, ...rest } = call
  const body = objectIn(call.function)
  const { name, ...args } = body ?? {}
  const hasId = known.id !== '' && textIn(id) !== ''
  const hasName = known.name !== '' && name === known.name
  reported.set(place, { id: known.id || textIn(id), name: known.name || textIn(name) })
  if (!hasId && !hasName) return call
  return { ...(hasId ? rest : call), ...(hasName ? { function: args } : {}) }
}

/**
 * The choice at place `at` of a non-streaming answer, with an id and a type for each call, and its end in OpenAI's terms. Its
 * message has the role `assistant`, without which no request may contain it, and if it has no content, the content is null.
 */
export function normalizeCalls(choice: JsonObject, rules: CallRules, at: number): JsonObject {
  const message = objectIn(choice.message)
  if (!message) return choice
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : []
  const number = typeof choice.index === 'number' ? choice.index : at
  const identified = calls.map((item, place) => {
    const call = objectIn(item)
    if (!call) return item
    const isTaken = calls.slice(0, place).some((other) => objectIn(other)?.id === call.id)
    return withIdentity(call, generatedCallId(rules, number, place), isTaken)
  })
  return {
    ...choice,
    message: {
      ...message,
      role: 'assistant',
      ...('content' in message ? {} : { content: null }),
      ...(calls.length > 0 ? { tool_calls: identified } : {}),
    },
    finish_reason: finishReasonFor(choice.finish_reason ?? 'stop', calls.length > 0, rules) as JsonObject['finish_reason'],
  }
}
