import type { Json, JsonRecord } from '../history/json.ts'
import type { Answer, Exchange, Prompt } from './chat-types.ts'
import type { Figures } from './figures.ts'

export type Change =
  | { do: 'add'; exchange: Exchange }
  /** Adds an answer to the end of a lane, or replaces the one with the same id. */
  | { do: 'answer'; exchangeId: string; lane: number; answer: Answer }
  | { do: 'prompt'; exchangeId: string; text: string }
  | { do: 'text'; answerId: string; text: string }
  | { do: 'figures'; answerId: string; figures: Figures }
  | { do: 'result'; answerId: string; callId: string; result: string }
  | { do: 'delete'; exchangeId: string }
  /** Removes the answers to a prompt and all later exchanges. */
  | { do: 'retry'; exchangeId: string }
  | { do: 'load'; exchanges: Exchange[] }

function putAnswer(lanes: Answer[][], lane: number, answer: Answer): Answer[][] {
  const all = Array.from({ length: Math.max(lanes.length, lane + 1) }, (_, at) => lanes[at] ?? [])
  return all.map((answers, at) => {
    if (at !== lane) return answers
    const known = answers.some(({ id }) => id === answer.id)
    return known ? answers.map((each) => (each.id === answer.id ? answer : each)) : [...answers, answer]
  })
}

const mapAnswers = (exchanges: Exchange[], change: (answer: Answer) => Answer): Exchange[] =>
  exchanges.map((exchange) => ({ ...exchange, lanes: exchange.lanes.map((answers) => answers.map(change)) }))

/** Applies a change to the conversation. */
export function applyChange(exchanges: Exchange[], change: Change): Exchange[] {
  switch (change.do) {
    case 'add':
      return [...exchanges, change.exchange]
    case 'answer':
      return exchanges.map((each) =>
        each.id === change.exchangeId ? { ...each, lanes: putAnswer(each.lanes, change.lane, change.answer) } : each,
      )
    case 'prompt':
      return exchanges.map((each) =>
        each.id === change.exchangeId ? { ...each, prompt: { ...each.prompt, text: change.text } } : each,
      )
    case 'text':
      return mapAnswers(exchanges, (answer) => (answer.id === change.answerId ? { ...answer, text: change.text } : answer))
    case 'figures':
      return mapAnswers(exchanges, (answer) => (answer.id === change.answerId ? { ...answer, figures: change.figures } : answer))
    case 'result':
      return mapAnswers(exchanges, (answer) =>
        answer.id === change.answerId
          ? {
              ...answer,
              calls: answer.calls.map((call) => (call.id === change.callId ? { ...call, result: change.result } : call)),
            }
          : answer,
      )
    case 'delete':
      return exchanges.filter(({ id }) => id !== change.exchangeId)
    case 'retry': {
      const at = exchanges.findIndex(({ id }) => id === change.exchangeId)
      return at < 0 ? exchanges : exchanges.slice(0, at + 1).map((each, place) => (place === at ? { ...each, lanes: [] } : each))
    }
    default:
      return change.exchanges
  }
}

/** A message of the user. `made` are the images of the answer before, which vendors accept only in this role. */
function promptMessage({ text, pictures }: Prompt, made: readonly string[]): JsonRecord[] {
  const urls = [...made, ...pictures.map(({ url }) => url)]
  if (urls.length === 0) return text === '' ? [] : [{ role: 'user', content: text }]
  const parts: Json[] = urls.map((url) => ({ type: 'image_url', image_url: { url } }))
  return [{ role: 'user', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...parts] }]
}

/** An answer as messages for a model. Data that a vendor signed is only sent to the model that it came from. */
function answerMessages(answer: Answer, model: string): JsonRecord[] {
  const isSameModel = answer.model === model
  // A call without its result cannot be sent: vendors refuse one without the other.
  const calls = answer.calls.every(({ result }) => result !== null) ? answer.calls : []
  if (answer.text === '' && calls.length === 0) return []
  const message: JsonRecord = {
    role: 'assistant',
    content: answer.text === '' ? null : answer.text,
    ...(answer.thoughts.length === 0 || !isSameModel ? {} : { reasoning_details: answer.thoughts }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, arguments: input, extra }) => ({
            id,
            type: 'function',
            function: { name, arguments: input },
            ...(extra === null || !isSameModel ? {} : { extra_content: extra }),
          })),
        }),
  }
  return [message, ...calls.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result ?? '' }))]
}

/** Who is asked for the next answer: a model in a lane of an exchange. */
interface Asked {
  exchangeId: string
  lane: number
  model: string
  /** Whether the model accepts images. It is shown its own ones in any case. */
  pictures: boolean
}

/**
 * The messages that a model gets for its next answer in an exchange: everything before, from its own lane. A model that joined
 * later continues from the answers of the first one. Failed answers are left out.
 */
export function messagesFor(system: string, exchanges: readonly Exchange[], asked: Asked): JsonRecord[] {
  const until = exchanges.findIndex(({ id }) => id === asked.exchangeId)
  const messages: JsonRecord[] = system.trim() === '' ? [] : [{ role: 'system', content: system }]
  let made: string[] = []
  for (const [at, exchange] of exchanges.slice(0, until + 1).entries()) {
    messages.push(...promptMessage(exchange.prompt, made))
    made = []
    const own = exchange.lanes[asked.lane] ?? []
    const answers = own.length > 0 || at === until ? own : (exchange.lanes[0] ?? [])
    for (const answer of answers.filter(({ state }) => state !== 'failed')) {
      messages.push(...answerMessages(answer, asked.model))
      if (asked.pictures || answer.model === asked.model) made.push(...(answer.images ?? []))
    }
  }
  // What a model drew before it called a tool is shown after the tool's result.
  return [...messages, ...promptMessage({ text: '', pictures: [] }, made)]
}
