import { type AnswerHead, StreamBroken, type WholeAnswer } from '../answer.ts'
import { readChatUsage, usageIn } from '../chat/usage.ts'
import { parseChoices } from '../chat/whole.ts'
import type { JsonObject } from '../json.ts'
import { textIn } from '../json.ts'
import { sumUsage } from '../language-usage.ts'
import { choicesOf, type PreparedCompletions } from './prepared.ts'
import { CompletionsWriter } from './writer.ts'

/** Reads whole chats, one for each prompt, as one answer of completions. Throws StreamBroken if one of them is not a chat. */
export function readChats(answers: readonly Buffer[], prepared: PreparedCompletions, head: AnswerHead): WholeAnswer {
  const writer = new CompletionsWriter(prepared, head)
  const chats = answers.map((bytes) => parseChoices(bytes))
  const choices = chats.flatMap((chat, at) => {
    const said = (chat.choices as (JsonObject | null)[]).filter((choice) => typeof choice === 'object' && choice !== null)
    if (said.length === 0) throw new StreamBroken('The model sent an answer that could not be read.', 'a chat has no choice')
    return said.slice(0, choicesOf(prepared.body)).map((choice, rank) => {
      const message = (choice.message ?? {}) as JsonObject
      writer.fold.think(textIn(message.reasoning_content) || textIn(message.reasoning))
      return writer.choice(at * choicesOf(prepared.body) + rank, {
        text: textIn(message.content) || textIn(message.refusal),
        logprobs: choice.logprobs,
        finishReason: typeof choice.finish_reason === 'string' ? choice.finish_reason : 'stop',
      })
    })
  })
  return writer.whole(choices, sumUsage(chats.map((chat) => readChatUsage(usageIn(chat)))))
}
