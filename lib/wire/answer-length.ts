import { Refusal } from '../domain/errors.ts'

/** The longest whole answer of a vendor that is taken. */
export const MOST_ANSWER_BYTES = 64 * 1024 * 1024

/** The longest tokens are long runs of blanks. */
const TOKEN_BYTES = 128
/** About what it takes to say how likely a token was, and one that was likely in its place. */
const LOGPROB_BYTES = 200
const TOP_LOGPROB_BYTES = 150

interface Asked {
  stream: boolean
  /** Null where no log probabilities are asked for; else how many of the likeliest tokens come with each. */
  logprobs: number | null
}

/** How many tokens a whole answer has room for; any number of them in a stream. */
export function tokensThatFit({ stream, logprobs }: Asked): number {
  if (stream) return Number.POSITIVE_INFINITY
  const each = TOKEN_BYTES + (logprobs === null ? 0 : LOGPROB_BYTES + logprobs * TOP_LOGPROB_BYTES)
  return Math.floor(MOST_ANSWER_BYTES / each)
}

/** Throws where an answer of so many tokens may be too long to be taken: its vendor would bill it all the same. `param` makes it so long. */
export function checkFits(tokens: number, asked: Asked, param: string): void {
  const most = tokensThatFit(asked)
  if (tokens <= most) return
  throw new Refusal(
    'invalid_request',
    `The answer could have ${tokens} tokens in total. Without streaming, at most ${most} are possible. Ask for fewer tokens, choices or log probabilities, or for a stream.`,
    { param: asked.logprobs === null ? param : 'logprobs' },
  )
}
