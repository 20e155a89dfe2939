import { type AnswerHead, createUnreadableError, type NonStreamingAnswer } from '../answer.ts'
import { failureIn } from '../event-objects.ts'
import { type JsonObject, objectIn, objectsIn } from '../json.ts'
import { normalizeChoices } from '../normalize-choices.ts'
import { type CallRules, normalizeCalls } from './calls.ts'
import { areEvents, gatherChat } from './gather-chat.ts'
import { answerIdOf, createdOf, headOf, normalizeHead } from './head.ts'
import { madeImagesIn } from './media.ts'
import { readChatUsage, usageIn, withoutVendorCosts, writeChatUsage } from './usage.ts'

/** The name of a kind of non-streaming answers, how their ids begin, and whether a choice belongs to their wire. */
export interface NonStreamingKind {
  object: string
  idPrefix: 'chatcmpl' | 'cmpl'
  isChoice(choice: JsonObject): boolean
}
/** A chat, whose choices have a message. */
export const CHAT: NonStreamingKind = {
  object: 'chat.completion',
  idPrefix: 'chatcmpl',
  isChoice: ({ message }) => objectIn(message) !== null,
}

/** How an answer is written, whole or streamed. */
export interface AnswerRules extends AnswerHead, CallRules {}

/** Reads a non-streaming answer that has choices, by default a chat. Throws StreamBrokenError if it is not one. */
export function readNonStreamingChat(bytes: Buffer, rules: AnswerRules, kind = CHAT): NonStreamingAnswer {
  const { modelId } = rules
  const received = parseChoices(bytes, kind)
  const own = { id: answerIdOf(kind.idPrefix, rules), object: kind.object, created: createdOf(rules) }
  const normalized = normalizeHead(received, headOf(received, own))
  const answer = { ...normalized, choices: choicesOf(normalized).map((choice, at) => normalizeCalls(choice, rules, at)) }
  const rawUsage = usageIn(answer)
  const usage = readChatUsage(rawUsage)
  return {
    usage,
    finishReason: finishReasonOf(answer),
    // The ids that are made here were not generated.
    text: () => textOf(normalized),
    images: countImages(normalized),
    encode: (counted, costNano) =>
      Buffer.from(
        JSON.stringify({
          ...answer,
          model: modelId,
          usage: writeChatUsage(counted, costNano, usage ? (rawUsage as JsonObject) : null),
        }),
      ),
    toAnswerJson: () => ({ ...answer, model: modelId, ...(usage ? { usage: withoutVendorCosts(rawUsage as JsonObject) } : {}) }),
  }
}

/** The value of a whole answer, which may begin with a byte order mark; undefined if it is not JSON. */
export function parseAnswerJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8').replace(BYTE_ORDER_MARK, ''))
  } catch {
    return undefined
  }
}

const BYTE_ORDER_MARK = /^\ufeff/

/**
 * Parses a non-streaming answer that has choices, or gathers it if it arrived as events, as some models always answer. Choices of
 * another wire, in which clients would find nothing, are left out. Throws StreamBrokenError if there are no others, or if the answer
 * reports a failure.
 */
export function parseChoices(bytes: Buffer, { isChoice }: Pick<NonStreamingKind, 'isChoice'> = CHAT): JsonObject {
  const answer = areEvents(bytes) ? gatherChat(bytes) : parseAnswerJson(bytes)
  if (answer === undefined) throw createUnreadableError('the answer is not JSON')
  const object = objectIn(answer)
  const failure = object && failureIn(object)
  if (failure) throw failure
  if (!object) throw createUnreadableError('the answer has no choices')
  const normalized = normalizeChoices(object)
  const choices = objectsIn(normalized.choices).filter(isChoice)
  if (choices.length === 0) throw createUnreadableError('the answer has no choices')
  return { ...normalized, choices }
}

/** The choices of an answer that was parsed. */
const choicesOf = (answer: JsonObject): JsonObject[] => answer.choices as JsonObject[]

function finishReasonOf(answer: JsonObject): string | null {
  const reason = choicesOf(answer)[0]?.finish_reason
  return typeof reason === 'string' ? reason : null
}

const countImages = (answer: JsonObject): number =>
  choicesOf(answer).reduce((sum, { message }) => sum + madeImagesIn(objectIn(message) ?? {}).length, 0)

function textOf(answer: JsonObject): string {
  return choicesOf(answer)
    .map((choice) => {
      const message = (choice.message ?? {}) as JsonObject
      // Reasoning and refusals are generated like the rest.
      const texts = [choice.text, message.reasoning_content ?? message.reasoning, message.content, message.refusal]
      const calls = [message.tool_calls, message.function_call].filter((call) => call != null)
      return [...texts.filter((text) => typeof text === 'string'), ...calls.map((call) => JSON.stringify(call))].join('')
    })
    .join('')
}
