import type { Message } from './request.ts'
import { countTokens } from './tokens.ts'

/** The tokens of each message for its role and frame. Its JSON always has more bytes than that. */
const PER_MESSAGE = 4
/** The tokens of an image of any size: as many as OpenAI counts for one with low detail. */
export const TOKENS_PER_IMAGE = 85
/** The tokens of any other part that is not text: fewer than the bytes of the part's JSON. */
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
 * Counts the input tokens of a request. There are at most as many as the bytes of its JSON body plus 85 for each image, so that a
 * hold that is sized by bytes covers them. `tools` is the request's field as it came.
 */
export function countPrompt(messages: readonly Message[], tools: unknown): number {
  const toolTokens = Array.isArray(tools) && tools.length > 0 ? countTokens(JSON.stringify(tools)) : 0
  return messages.reduce((sum, message) => sum + messageTokens(message), toolTokens)
}

/** The `usage` object of an answer. The sandbox has no cached and no reasoning tokens. */
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
