import type { Step } from './plan.ts'
import { roll } from './seed.ts'

interface TokenLogprob {
  token: string
  logprob: number
  bytes: number[]
}

/** Log probabilities in OpenAI's format. They are made up, like everything here, and the same for the same request. */
export interface Logprobs {
  content: (TokenLogprob & { top_logprobs: TokenLogprob[] })[] | null
  refusal: null
}

const entry = (token: string, logprob: number): TokenLogprob => ({ token, logprob, bytes: [...Buffer.from(token)] })

/** A number between -0.5 and 0 with six decimals. */
const simulatedLogprob = (seed: string, label: string): number => -(roll(seed, label) % 500_000) / 1_000_000

/** The log probabilities of steps that are numbered from `from` on; null if `top`, the number of alternatives, is null. */
export function logprobsOf(steps: readonly Step[], from: number, top: number | null, seed: string): Logprobs | null {
  if (top === null) return null
  const content = steps.flatMap((step, at) => {
    if (step.do !== 'say') return []
    const logprob = simulatedLogprob(seed, `${from + at}${step.text}`)
    const others = Array.from({ length: Math.max(0, top - 1) }, (_, rank) => entry(` option${rank + 1}`, logprob - 1 - rank))
    return [{ ...entry(step.text, logprob), top_logprobs: top === 0 ? [] : [entry(step.text, logprob), ...others] }]
  })
  return { content: content.length === 0 ? null : content, refusal: null }
}
