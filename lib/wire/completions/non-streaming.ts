import type { AnswerHead, NonStreamingAnswer } from '../answer.ts'
import { parseChoices } from '../chat/non-streaming.ts'
import { readChatUsage, usageIn } from '../chat/usage.ts'
import { type JsonObject, objectsIn, textIn } from '../json.ts'
import { sumUsage } from '../language-usage.ts'
import { choicesOf, type PreparedCompletions } from './prepared.ts'
import { CompletionsWriter } from './writer.ts'

/** Reads whole chats, one for each prompt, as one answer of completions. Throws StreamBrokenError if one of them is not a chat. */
export function readNonStreamingChats(
  answers: readonly Buffer[],
  prepared: PreparedCompletions,
  head: AnswerHead,
): NonStreamingAnswer {
  const writer = new CompletionsWriter(prepared, head)
  const chats = answers.map((bytes) => parseChoices(bytes))
  const choices = chats.flatMap((chat, at) => {
    return objectsIn(chat.choices)
      .slice(0, choicesOf(prepared.body))
      .map((choice, rank) => {
        const message = choice.message as JsonObject
        writer.fold.addReasoning(textIn(message.reasoning_content) || textIn(message.reasoning))
        return writer.choice(at * choicesOf(prepared.body) + rank, {
          text: textIn(message.content) || textIn(message.refusal),
          logprobs: choice.logprobs,
          finishReason: typeof choice.finish_reason === 'string' ? choice.finish_reason : 'stop',
        })
      })
  })
  return writer.toNonStreaming(choices, sumUsage(chats.map((chat) => readChatUsage(usageIn(chat)))))
}
