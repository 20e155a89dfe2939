import { StreamBroken, type WholeAnswer } from '../answer.ts'
import { failureTold } from '../event-objects.ts'
import { inOurEnds } from '../finish-reason.ts'
import { type JsonObject, objectIn, objectsIn } from '../json.ts'
import { type CallRules, inOurCalls } from './calls.ts'
import { areEvents, gatherChat } from './gathered.ts'
import { inOurHead } from './head.ts'
import { readChatUsage, usageIn, withoutCosts, writeChatUsage } from './usage.ts'

const UNREADABLE = 'The model sent an answer that could not be read.'

/** The name of a kind of whole answers, and whether a choice belongs to their wire. */
interface WholeKind {
  object: string
  isChoice(choice: JsonObject): boolean
}
const CHAT: WholeKind = { object: 'chat.completion', isChoice: ({ message }) => objectIn(message) !== null }

/** How a whole answer is written. */
export interface WholeRules extends CallRules {
  modelId: string
}

/** Reads a whole answer that has choices, by default a chat. Throws StreamBroken if it is not one. */
export function readWholeChat(bytes: Buffer, { modelId, ...rules }: WholeRules, kind = CHAT): WholeAnswer {
  const said = inOurHead(parseChoices(bytes, kind), kind.object)
  const answer = { ...said, choices: choicesOf(said).map((choice, at) => inOurCalls(choice, rules, at)) }
  const told = usageIn(answer)
  const usage = readChatUsage(told)
  return {
    usage,
    finishReason: finishReason(answer),
    // The ids that are made here were not generated.
    text: () => textOf(said),
    encode: (counted, costNano) =>
      Buffer.from(
        JSON.stringify({
          ...answer,
          model: modelId,
          usage: writeChatUsage(counted, costNano, usage ? (told as JsonObject) : null),
        }),
      ),
    folded: () => ({ ...answer, model: modelId, ...(usage ? { usage: withoutCosts(told as JsonObject) } : {}) }),
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new StreamBroken(UNREADABLE, 'the answer is not JSON')
  }
}

/**
 * Parses a whole answer that has choices, or gathers it if it arrived as events, as some models always answer. Throws
 * StreamBroken if it is not such an answer, or reports a failure.
 */
export function parseChoices(bytes: Buffer, { isChoice }: Pick<WholeKind, 'isChoice'> = CHAT): JsonObject {
  const answer = areEvents(bytes) ? gatherChat(bytes) : parsed(bytes)
  const object = objectIn(answer)
  const failure = object && failureTold(object)
  if (failure) throw failure
  // An empty list is not an answer, nor are the choices of another endpoint: their reader would find nothing.
  if (!object || !objectsIn(object.choices).some(isChoice)) throw new StreamBroken(UNREADABLE, 'the answer has no choices')
  return inOurEnds(object)
}

const choicesOf = (answer: JsonObject): JsonObject[] => (answer.choices as JsonObject[]).filter((choice) => choice !== null)

function finishReason(answer: JsonObject): string | null {
  const reason = choicesOf(answer)[0]?.finish_reason
  return typeof reason === 'string' ? reason : null
}

function textOf(answer: JsonObject): string {
  return choicesOf(answer)
    .map((choice) => {
      const message = (choice.message ?? {}) as JsonObject
      // Reasoning and refusals are generated like the rest.
      const said = [choice.text, message.reasoning_content ?? message.reasoning, message.content, message.refusal]
      const calls = [message.tool_calls, message.function_call].filter((call) => call != null)
      return [...said.filter((text) => typeof text === 'string'), ...calls.map((call) => JSON.stringify(call))].join('')
    })
    .join('')
}
