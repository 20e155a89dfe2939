import type { MaybePromise } from '../domain/maybe-promise.ts'
import { maxBigInt, minBigInt } from '../domain/money.ts'
import { formatStoredText, type StoredText } from '../domain/stored-text.ts'
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

/** What an answer has delivered, as far as it can be counted without its vendor. */
export interface Delivered {
  text(): string
  /** How many images that a chat model made. */
  readonly images?: number
  /** How many searches of the web its vendor made. */
  readonly searches?: number
}

/**
 * How many tokens an image counts for if its vendor does not say: the most that one of a known model has (gpt-image-1, 1024x1536 in
 * high quality; Gemini's largest have 2,520).
 */
const TOKENS_PER_IMAGE = 6240
const ESTIMATED_IMAGES_REASON = formatStoredText('imagesCounted', { tokens: TOKENS_PER_IMAGE })

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
 * The eighth stage: takes the vendor's own count if it gave one that is possible, or else an estimate from the text and the images that
 * went in and out, never above the bound that was held for, or what the endpoint knows by itself.
 */
export function measure<Input, P>(
  reported: Usage | null,
  output: Delivered,
  reason: StoredText,
  admitted: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  ports: GatewayPorts,
): MaybePromise<Measured> {
  const isUsable = reported !== null && !isAbsurd(reported, admitted, endpoint)
  const why: StoredText = reported === null ? reason : 'The vendor reported more than the model can take.'
  const measured = isUsable ? withImages(reported, output, admitted) : estimate(output, why, admitted, endpoint, ports)
  const searches = searchesIn(output, admitted)
  if (searches === 0n) return measured
  return 'then' in measured ? measured.then((tokens) => withSearches(tokens, searches)) : withSearches(measured, searches)
}

/** How many tokens of input a search finds, if its vendor does not say: what OpenAI bills where it bills a fixed number. */
const TOKENS_PER_SEARCH = 8000n

/** Searches are counted in the answer, because no usage has them. Those that were not held for have no price. */
const searchesIn = <Input, P>({ searches = 0 }: Delivered, { bound }: Admitted<Input, P>): bigint =>
  searches === 0 ? 0n : minBigInt(BigInt(searches), (bound.usage.media?.web_search ?? 0n) * MAX_FACTOR)

const withSearches = ({ usage, certainty }: Measured, searches: bigint): Measured => ({
  usage: { ...usage, media: { ...usage.media, web_search: searches } },
  certainty,
})

/**
 * A vendor's count. If it does not say how many of its tokens were images, and the price of these is their own, they were, as far as
 * there can have been so many: otherwise images would be sold at the price of text.
 */
function withImages<Input, P>(reported: Usage, output: Delivered, { request }: Admitted<Input, P>): Measured {
  const isSplit = reported.media?.image_output !== undefined
  if (isSplit || (output.images ?? 0) === 0 || request.price.rates.image_output === undefined)
    return { usage: reported, certainty: { exact: true } }
  const images = minBigInt(imageTokens(output), reported.output - reported.reasoning)
  if (images <= 0n) return { usage: reported, certainty: { exact: true } }
  return {
    usage: { ...reported, output: reported.output - images, media: { ...reported.media, image_output: images } },
    certainty: {
      exact: false,
      why: 'The vendor did not say how many of the output tokens were images; they were counted as images.',
    },
  }
}

/** Measures an answer that broke off: the last count that arrived, and `uncounted`, what was delivered after it. */
export async function measureCut<Input, P>(
  running: Usage,
  uncounted: Delivered,
  reason: StoredText,
  { bound }: Admitted<Input, P>,
  ports: GatewayPorts,
): Promise<Measured> {
  const room = maxBigInt(bound.usage.output - tokensOut(running), 0n)
  const images = minBigInt(imageTokens(uncounted), room)
  const text = minBigInt(BigInt(await ports.countTokens(uncounted.text())), room - images)
  const allImages = (running.media?.image_output ?? 0n) + images
  return {
    usage: {
      ...running,
      output: running.output + text,
      ...(images === 0n ? {} : { media: { ...running.media, image_output: allImages } }),
    },
    certainty: { exact: false, why: images === 0n ? reason : ESTIMATED_IMAGES_REASON },
  }
}

const imageTokens = ({ images = 0 }: Delivered): bigint => BigInt(images * TOKENS_PER_IMAGE)

const NO_NON_TEXT_TOKENS: NonTextTokens = { input: 0, audio: 0 }

async function estimate<Input, P>(
  output: Delivered,
  reason: StoredText,
  admitted: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  ports: GatewayPorts,
): Promise<Measured> {
  const { bound, request } = admitted
  if (endpoint.estimate) {
    const { usage, exact } = await endpoint.estimate(request.work, ports.countTokens, () => output.text())
    return { usage, certainty: exact ? { exact } : { exact, why: reason } }
  }
  const [text, out] = await Promise.all([ports.countTokens(endpoint.text(request.work)), ports.countTokens(output.text())])
  const nonText = endpoint.nonTextTokens?.(request.work) ?? NO_NON_TEXT_TOKENS
  const heldInput = tokensIn(bound.usage)
  const audio = minBigInt(BigInt(nonText.audio), heldInput)
  const images = minBigInt(imageTokens(output), bound.usage.output)
  const media = { ...(audio === 0n ? {} : { audio_input: audio }), ...(images === 0n ? {} : { image_output: images }) }
  return {
    usage: {
      ...NO_USAGE,
      input: minBigInt(BigInt(text + nonText.input) + searchesIn(output, admitted) * TOKENS_PER_SEARCH, heldInput - audio),
      output: minBigInt(BigInt(out), bound.usage.output - images),
      requests: bound.usage.requests,
      ...(audio + images === 0n ? {} : { media }),
    },
    certainty: { exact: false, why: images === 0n ? reason : ESTIMATED_IMAGES_REASON },
  }
}
