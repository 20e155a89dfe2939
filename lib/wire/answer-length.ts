import { refuseField } from '../domain/errors.ts'

/** The longest whole answer of a vendor that is accepted. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** The bytes of a token. The longest tokens are long runs of blanks. */
const TOKEN_BYTES = 128
/** About how many bytes the log probability of a token takes, and that of an alternative to it. */
const LOGPROB_BYTES = 200
const TOP_LOGPROB_BYTES = 150

interface AnswerOptions {
  stream: boolean
  /** How many of the likeliest tokens come with each token; null if no log probabilities are requested. */
  logprobs: number | null
}

/** How many tokens fit into a non-streaming answer. A stream has no limit. */
export function maxTokensThatFit({ stream, logprobs }: AnswerOptions): number {
  if (stream) return Number.POSITIVE_INFINITY
  const each = TOKEN_BYTES + (logprobs === null ? 0 : LOGPROB_BYTES + logprobs * TOP_LOGPROB_BYTES)
  return Math.floor(MAX_ANSWER_BYTES / each)
}

/**
 * Throws if an answer of so many tokens may be too long to be accepted, because its vendor would bill it all the same. `param` is
 * the field that makes it so long.
 */
export function checkAnswerFits(tokens: number, options: AnswerOptions, param: string): void {
  const maxTokens = maxTokensThatFit(options)
  if (tokens <= maxTokens) return
  throw refuseField(
    options.logprobs === null ? param : 'logprobs',
    `The answer could have ${tokens} tokens in total. Without streaming, at most ${maxTokens} are possible. Ask for fewer tokens, choices or log probabilities, or for a stream.`,
  )
}
