import type { MaybePromise } from '../domain/maybe-promise.ts'
import { maxBigInt, minBigInt } from '../domain/money.ts'
import type { StoredText } from '../domain/stored-text.ts'
import type { Certainty, Usage } from '../domain/usage.ts'
import { NO_USAGE, tokensIn, tokensOut } from '../domain/usage.ts'
import type { NonTextTokens, PaidEndpoint } from '../wire/endpoint.ts'
import type { Admitted } from './admit.ts'
import type { GatewayPorts } from './ports.ts'

/** What a request used, and how certain that is. */
export interface Measured {
  usage: Usage
  certainty: Certainty
}

/**
 * Models that search bill what they read as well, which can be several times what they take at once, but not more often. Other
 * models bill what they were sent and what they made, for which the hold is an upper bound.
 */
const MAX_FACTOR = 16n
/** What a vendor may add to a short input, such as instructions of its own. */
const MIN_TOKENS = 1_000n

/** Whether a vendor's count is more than a model can have read and written for a request. */
function isAbsurd<Input, P>(
  reported: Usage,
  { bound, request }: Admitted<Input, P>,
  { language }: PaidEndpoint<Input, P>,
): boolean {
  const held = tokensIn(bound.usage) + tokensOut(bound.usage)
  const least = language ? BigInt(request.model.contextWindow * bound.choices) : MIN_TOKENS
  return tokensIn(reported) + tokensOut(reported) > maxBigInt(least, held) * MAX_FACTOR
}

/**
 * The eighth stage: takes the vendor's own count if it gave one that is possible, or else an estimate from the text that went in
 * and out, never above the bound that was held for, or what the endpoint knows by itself.
 */
export function measure<Input, P>(
  reported: Usage | null,
  output: () => string,
  reason: StoredText,
  admitted: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  ports: GatewayPorts,
): MaybePromise<Measured> {
  if (reported === null) return estimate(output, reason, admitted, endpoint, ports)
  if (!isAbsurd(reported, admitted, endpoint)) return { usage: reported, certainty: { exact: true } }
  return estimate(output, 'The vendor reported more than the model can take.', admitted, endpoint, ports)
}

/** Measures an answer that broke off: the last count that arrived, and `uncounted`, what was delivered after it. */
export async function measureCut<Input, P>(
  running: Usage,
  uncounted: string,
  reason: StoredText,
  { bound }: Admitted<Input, P>,
  ports: GatewayPorts,
): Promise<Measured> {
  const output = running.output + BigInt(await ports.countTokens(uncounted))
  return {
    usage: { ...running, output: maxBigInt(running.output, minBigInt(output, bound.usage.output)) },
    certainty: { exact: false, why: reason },
  }
}

const NO_NON_TEXT_TOKENS: NonTextTokens = { input: 0, audio: 0 }

async function estimate<Input, P>(
  output: () => string,
  reason: StoredText,
  admitted: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  ports: GatewayPorts,
): Promise<Measured> {
  const { bound, request } = admitted
  if (endpoint.estimate) {
    const { usage, exact } = await endpoint.estimate(request.work, ports.countTokens, output)
    return { usage, certainty: exact ? { exact } : { exact, why: reason } }
  }
  const [text, out] = await Promise.all([ports.countTokens(endpoint.text(request.work)), ports.countTokens(output())])
  const nonText = endpoint.nonTextTokens?.(request.work) ?? NO_NON_TEXT_TOKENS
  const heldInput = tokensIn(bound.usage)
  const audio = minBigInt(BigInt(nonText.audio), heldInput)
  return {
    usage: {
      ...NO_USAGE,
      input: minBigInt(BigInt(text + nonText.input), heldInput - audio),
      output: minBigInt(BigInt(out), bound.usage.output),
      requests: bound.usage.requests,
      ...(audio === 0n ? {} : { media: { audio_input: audio } }),
    },
    certainty: { exact: false, why: reason },
  }
}
