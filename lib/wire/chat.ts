import { Refusal, refuseField } from '../domain/errors.ts'
import { fieldIn } from '../domain/field-in.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import { charge, maxBigInt } from '../domain/money.ts'
import { maxInputRate, maxOutputRate, type Rates } from '../domain/price.ts'
import { NO_USAGE } from '../domain/usage.ts'
import { checkAnswerFits, maxTokensThatFit } from './answer-length.ts'
import { chatAnswer, chatEvent } from './chat/answer.ts'
import { choicesAsEvents } from './chat/as-events.ts'
import { isForced } from './chat/calls.ts'
import { tokensAddedToCustomTools } from './chat/custom-tools.ts'
import { withNestedTools } from './chat/flat-tools.ts'
import { checkImagesPriced } from './chat/image-output.ts'
import { toLanguageAsk } from './chat/language.ts'
import { type Media, mediaOf, redactMedia, withoutMedia } from './chat/media.ts'
import { readNonStreamingChat } from './chat/non-streaming.ts'
import { ChatPartsTap, readNonStreamingParts } from './chat/parts.ts'
import { type ChatBody, chatSchema } from './chat/schema.ts'
import { ChatTap } from './chat/tap.ts'
import { maxSearchesOf, refuseSearchInChats, refuseUnpricedSearch, withSearches } from './chat/web-search.ts'
import type { Bound, NonTextTokens, PaidEndpoint, PreparePorts } from './endpoint.ts'
import type { JsonObject } from './json.ts'
import { parseWith } from './schema.ts'
import { maxTokensOf, tokenGrowthOf, tooLongFor } from './token-bound.ts'

/** If the caller sets no cap, an answer can always have this many tokens, provided that the model can write them. */
const MIN_DEFAULT_CAP = 4096

/** A second of sound takes at least about 2 KB, and at most about 32 tokens. */
const AUDIO_CHARS_PER_TOKEN = 64

interface PreparedChat {
  body: ChatBody
  media: Media
  /** The maximum number of input tokens. */
  inputBound: number
  /** The estimated tokens of its media. */
  nonTextTokens: NonTextTokens
  /** The estimated number of input tokens. Equal to the bound if that is precise enough. */
  inputGuess: number
  rates: Rates
}

/** Whether the model may answer with images, asked or not. Nobody sees them grow. */
const mayMakeImages = ({ image_output: rate }: Rates): boolean => rate !== undefined

/** The fields that are input, as text without their media. */
const textsOf = ({ messages, tools, functions, response_format }: ChatBody): [field: string, text: string][] =>
  Object.entries({ messages: withoutMedia(messages), tools, functions, response_format }).flatMap(([field, value]) =>
    value == null ? [] : [[field, JSON.stringify(value)]],
  )

const textOf = (body: ChatBody): string => `[${textsOf(body).map(([, text]) => text)}]`

function prepare(body: ChatBody, ports: PreparePorts): MaybePromise<PreparedChat> {
  const { model, price, bodyBytes } = ports
  const requestedCap = body.max_completion_tokens ?? body.max_tokens
  if (requestedCap != null && requestedCap > model.maxOutput)
    throw refuseField(
      capFieldOf(body),
      `This model writes at most ${model.maxOutput} tokens; you asked for ${requestedCap}. Ask for fewer.`,
    )
  const { rates } = price
  checkImagesPriced(body, model.id, mayMakeImages(rates))
  if (body.web_search_options != null && rates.request === undefined) refuseUnpricedSearch('web_search_options', rates, model.id)
  const media = mediaOf(body.messages)
  const receivedSize = bodyBytes - media.inlineBytes + media.images * model.imageTokens + tokensAddedToCustomTools(body)
  const { messages, tools, functions, response_format } = body
  // The input cannot exceed the context, so the growth beyond that does not matter.
  const byBytes =
    receivedSize < model.contextWindow
      ? receivedSize + tokenGrowthOf([messages, tools, functions, response_format])
      : receivedSize
  const inputBound = media.unbounded > 0 ? model.contextWindow : Math.min(byBytes, model.contextWindow)
  const nonTextTokens = {
    input: media.unbounded > 0 ? model.contextWindow : media.images * model.imageTokens,
    audio: Math.ceil(media.soundChars / AUDIO_CHARS_PER_TOKEN),
  }
  // Counting is slow. It pays only if the bytes leave doubt whether request and answer fit.
  const reservedOutput = requestedCap ?? Math.min(MIN_DEFAULT_CAP, model.maxOutput)
  if (byBytes + reservedOutput <= model.contextWindow)
    return { body, media, nonTextTokens, inputBound, inputGuess: Math.min(inputBound, byBytes), rates }
  return withTokenCount({ body, media, nonTextTokens, inputBound, rates }, ports)
}

async function withTokenCount(
  sized: Omit<PreparedChat, 'inputGuess'>,
  { model, countTokens }: PreparePorts,
): Promise<PreparedChat> {
  const inputGuess = await countTokens(textOf(sized.body))
  if (inputGuess > model.contextWindow)
    throw new Refusal(
      'context_exceeded',
      `${tooLongFor(model.contextWindow)}: about ${inputGuess} tokens, most of them in this field. Shorten it.`,
      { param: longestFieldOf(textsOf(sized.body)) },
    )
  return { ...sized, inputGuess }
}

const longestFieldOf = (texts: readonly [field: string, text: string][]): string =>
  texts.reduce((longest, other) => (other[1].length > longest[1].length ? other : longest), ['messages', ''])[0]

const capFieldOf = ({ max_completion_tokens }: ChatBody): string =>
  max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens'

/** The most tokens of a prediction that can be rejected: they are billed as output, although they are not part of the answer. */
const predictedBound = ({ prediction }: ChatBody): number =>
  prediction == null ? 0 : maxTokensOf(JSON.stringify(prediction.content))

/** What determines how long an answer may be. */
const answerOptionsOf = ({ stream, logprobs, top_logprobs }: ChatBody) => ({
  stream: stream === true,
  logprobs: logprobs === true ? (top_logprobs ?? 0) : null,
})

/** Whether the request asks for reasoning that is billed and not shown, in the fields of Groq or OpenRouter. */
const hidesReasoning = ({ reasoning_format, include_reasoning, reasoning }: ChatBody): boolean =>
  reasoning_format === 'hidden' || include_reasoning === false || fieldIn(reasoning, 'exclude') === true

/**
 * The cap that is sent to the vendor if the caller set none: what a quarter of the free money buys, but at least
 * MIN_DEFAULT_CAP, within the model's limits.
 */
function defaultCap(prepared: PreparedChat, ports: PreparePorts, rate: bigint, multiplierBp: bigint, freeNano: bigint): number {
  const { model } = ports
  const perMillion = charge(BigInt(prepared.body.n ?? 1) * 1_000_000n, rate, multiplierBp)
  const affordable = perMillion > 0n ? (freeNano * 250_000n) / perMillion : BigInt(model.maxOutput)
  const wanted = Number(
    maxBigInt(BigInt(MIN_DEFAULT_CAP), affordable > BigInt(model.maxOutput) ? BigInt(model.maxOutput) : affordable),
  )
  const remainingContext = Math.max(1, model.contextWindow - prepared.inputGuess)
  const fits = Math.max(1, Math.floor(maxTokensThatFit(answerOptionsOf(prepared.body)) / (prepared.body.n ?? 1)))
  return Math.min(model.maxOutput, wanted, remainingContext, fits)
}

/** POST /v1/chat/completions. Specification 4.1; OpenAI API 2.3.0. */
export const chatCompletions: PaidEndpoint<ChatBody, PreparedChat> = {
  kind: 'paid',
  name: 'chat.completions',
  method: 'POST',
  docs: {
    summary: 'Create a chat completion',
    description: 'Answers a conversation. Tools, structured output, images and every other parameter of the model are passed on.',
    answers: { 'application/json': chatAnswer, 'text/event-stream': chatEvent },
  },
  modalities: ['chat'],
  body: { kind: 'json' },
  request: chatSchema,
  parse: (body) => parseWith(chatSchema, withNestedTools(body)),
  modelOf: (body) => body.model,
  isStreamed: (body) => body.stream === true,
  prepare,

  bound(prepared, ports, price, multiplierBp, freeNano, overhead): Bound {
    const { body, media, inputBound } = prepared
    const choices = body.n ?? 1
    const cap =
      body.max_completion_tokens ??
      body.max_tokens ??
      defaultCap(prepared, ports, maxOutputRate(price.rates), multiplierBp, freeNano)
    checkAnswerFits(cap * choices, answerOptionsOf(body), choices > 1 ? 'n' : capFieldOf(body))
    const isDear = (price.rates.audio_input ?? 0n) > maxInputRate(price.rates)
    // The size of a file or a video does not tell how much sound is in it.
    const sound = media.unbounded > 0 ? inputBound : Math.min(media.soundChars, inputBound)
    const audio = isDear ? sound : 0
    const bound: Bound = {
      cap,
      choices,
      // Some vendors bill the input once for each choice.
      usage: {
        ...NO_USAGE,
        input: BigInt((inputBound - audio + overhead) * choices),
        output: BigInt((cap + predictedBound(body)) * choices),
        requests: 1n,
        ...(audio === 0 ? {} : { media: { audio_input: BigInt(audio * choices) } }),
      },
    }
    return withSearches(bound, body, price.rates)
  },

  text: ({ body }) => textOf(body),
  nonTextTokens: ({ nonTextTokens }) => nonTextTokens,
  continuesAfterDisconnect: ({ body, media, rates }) =>
    maxSearchesOf(body) > 0 ||
    mayMakeImages(rates) ||
    media.images + media.unbounded + media.soundChars > 0 ||
    (body.n ?? 1) > 1 ||
    hidesReasoning(body),
  forms: [
    {
      wire: 'openai.chat',
      check: ({ body, rates }) => refuseSearchInChats(body, rates),
      // Either name may have been sent to the vendor.
      requestFieldOf: (field, { body }) => (/^max_(completion_)?tokens$/.test(field) ? capFieldOf(body) : field),
      ask: ({ body }) => ({ json: body as JsonObject }),
      readNonStreaming: (bytes, { body }, head) => readNonStreamingChat(bytes, { ...head, forced: isForced(body.tool_choice) }),
      createTap: ({ body }, head) =>
        new ChatTap({
          rules: { ...head, forced: isForced(body.tool_choice) },
          wantsUsage: body.stream_options?.include_usage === true,
        }),
      asEvents: choicesAsEvents,
    },
  ],
  language: {
    ask({ body, rates }, skills) {
      if (body.web_search_options != null) refuseUnpricedSearch('web_search_options', rates, body.model)
      return toLanguageAsk(body, skills)
    },
    readNonStreaming: (parts, { body }, head) => readNonStreamingParts(parts, head, body),
    createTap: ({ body }, head) => new ChatPartsTap({ head, body }),
  },
  redact: (body) => redactMedia(body),
  storesBodyVerbatim: true,
}
