import type { Message } from './request.ts'
import { countTokens } from './tokens.ts'

/** Each message costs these for its role and frame. Its JSON is longer than that in any case. */
const PER_MESSAGE = 4
/** What an image costs, whatever its size: what OpenAI takes for one of low detail. */
export const TOKENS_PER_IMAGE = 85
/** What any other part costs that is not text: less than the bytes of the part's JSON. */
const PER_OTHER_PART = 8

/** Token counts as OpenAI reports them. */
export interface WireUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: { cached_tokens: number; audio_tokens: number }
  completion_tokens_details: {
    reasoning_tokens: number
    audio_tokens: number
    accepted_prediction_tokens: number
    rejected_prediction_tokens: number
  }
}

function messageTokens(message: Message): number {
  const calls = message.calls.reduce((sum, call) => sum + countTokens(call.name) + countTokens(call.input), 0)
  const parts = message.attachments.reduce((sum, { kind }) => sum + (kind === 'image' ? TOKENS_PER_IMAGE : PER_OTHER_PART), 0)
  return PER_MESSAGE + countTokens(message.name) + countTokens(message.text) + calls + parts
}

/**
 * Input tokens of a request. At most the bytes of its JSON body and 85 for each image, so that a hold
 * sized by bytes covers it. `tools` is the request's field as it came.
 */
export function countPrompt(messages: readonly Message[], tools: unknown): number {
  const described = Array.isArray(tools) && tools.length > 0 ? countTokens(JSON.stringify(tools)) : 0
  return messages.reduce((sum, message) => sum + messageTokens(message), described)
}

/** The `usage` object of an answer. Nothing is cached and nothing is reasoned in the sandbox. */
export function wireUsage(prompt: number, completion: number): WireUsage {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}
