import { StreamBroken, type WholeAnswer } from '../answer.ts'
import { inOurEnds } from '../finish-reason.ts'
import type { JsonObject } from '../json.ts'
import { readChatUsage, usageIn, withoutCosts, writeChatUsage } from './usage.ts'

/** Reads a whole chat answer. Throws StreamBroken where it is not one. */
export function readWholeChat(bytes: Buffer, modelId: string): WholeAnswer {
  const answer = parseChoices(bytes)
  const told = usageIn(answer)
  const usage = readChatUsage(told)
  return {
    usage,
    finishReason: finishReason(answer),
    text: () => textOf(answer),
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

/** Parses a whole answer that has choices. Throws StreamBroken where it is none. */
export function parseChoices(bytes: Buffer): JsonObject {
  let answer: unknown
  try {
    answer = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new StreamBroken('The model sent an answer that could not be read.', 'the answer is not JSON')
  }
  if (typeof answer !== 'object' || answer === null || !Array.isArray((answer as JsonObject).choices))
    throw new StreamBroken('The model sent an answer that could not be read.', 'the answer has no choices')
  return inOurEnds(answer as JsonObject)
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
      // What is thought aloud and what is refused is generated like the rest.
      const said = [choice.text, message.reasoning_content ?? message.reasoning, message.content, message.refusal]
      const calls = [message.tool_calls, message.function_call].filter((call) => call != null)
      return [...said.filter((text) => typeof text === 'string'), ...calls.map((call) => JSON.stringify(call))].join('')
    })
    .join('')
}
