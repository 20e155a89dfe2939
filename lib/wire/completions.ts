import { refuseField } from '../domain/errors.ts'
import { NO_USAGE } from '../domain/usage.ts'
import { checkAnswerFits } from './answer-length.ts'
import { choicesAsEvents } from './chat/as-events.ts'
import { parseChoices, readNonStreamingChat } from './chat/non-streaming.ts'
import { ChatTap } from './chat/tap.ts'
import { completionAnswer, completionEvent } from './completions/answer.ts'
import { chatBodyOf, checkSupportedByChat, completionsFieldOf, INSTRUCTION_BYTES } from './completions/chat.ts'
import { CompletionsChatTap } from './completions/chat-tap.ts'
import { CompletionFold } from './completions/fold.ts'
import { completionsLanguage } from './completions/language.ts'
import { readNonStreamingChats } from './completions/non-streaming.ts'
import { choicesOf, echoOf, type PreparedCompletions } from './completions/prepared.ts'
import { type CompletionsBody, completionsSchema } from './completions/schema.ts'
import type { Bound, PaidEndpoint, PreparePorts } from './endpoint.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { parseWith } from './schema.ts'
import { checkContext, countableText, decodeTexts, itemPath, itemsOf, maxItemTokens } from './text-input.ts'
import { maxTokensOf } from './token-bound.ts'

/** The cap of a request without `max_tokens`, as at OpenAI. */
const DEFAULT_CAP = 16
/** The prompt of a request whose prompt is null, as at OpenAI: the mark between two texts. */
const NULL_PROMPT_TEXT = '<|endoftext|>'

/** Models put marks around a text, and three more if there is a gap to fill in. */
const MARKS_PER_PROMPT = 4

async function prepare(body: CompletionsBody, ports: PreparePorts): Promise<PreparedCompletions> {
  const { model } = ports
  if (body.max_tokens != null && body.max_tokens > model.maxOutput)
    throw refuseField(
      'max_tokens',
      `This model writes at most ${model.maxOutput} tokens; you asked for ${body.max_tokens}. Ask for fewer.`,
    )
  const input = body.prompt ?? NULL_PROMPT_TEXT
  const suffix = body.suffix ?? ''
  const limits = await checkContext('prompt', input, ports, suffix)
  // Only models of this modality are never reached through a chat, so they need no text.
  const needsText = model.modality !== 'completion'
  const texts = needsText ? await decodeTexts('prompt', input, ports) : []
  const prompts = itemsOf(input).map((item, at) => ({
    item,
    text: typeof item === 'string' ? item : (texts[at] ?? null),
    path: itemPath('prompt', input, at),
  }))
  const more = maxTokensOf(suffix) + (needsText ? INSTRUCTION_BYTES : 0) + MARKS_PER_PROMPT
  const inputBound = prompts.reduce((sum, { item, text }, at) => {
    const limit = limits[at] ?? model.contextWindow
    const maxTokens = Math.max(maxItemTokens(item, limit), text === null || text === item ? 0 : maxItemTokens(text, limit))
    return sum + Math.min(maxTokens + more, limit)
  }, 0)
  return { body, prompts, inputBound }
}

/** POST /v1/completions. Specification 4.2; OpenAI API 2.3.0. */
export const completions: PaidEndpoint<CompletionsBody, PreparedCompletions> = {
  kind: 'paid',
  name: 'completions',
  method: 'POST',
  docs: {
    summary: 'Create a completion',
    description: 'Continues one or more texts. Models that only chat are asked to continue the text and say nothing else.',
    answers: { 'application/json': completionAnswer, 'text/event-stream': completionEvent },
  },
  modalities: ['completion', 'chat'],
  body: { kind: 'json' },
  request: completionsSchema,
  parse: (body) => parseWith(completionsSchema, body),
  modelOf: (body) => body.model,
  isStreamed: (body) => body.stream === true,
  prepare,
  bound(prepared, _ports, _price, _multiplierBp, _freeNano, overhead): Bound {
    const { body, prompts, inputBound } = prepared
    const cap = body.max_tokens ?? DEFAULT_CAP
    const each = Math.max(choicesOf(body), body.best_of ?? 1)
    const input = (inputBound + overhead * prompts.length) * each
    const output = cap * each * prompts.length
    const shownTokens = (cap * prompts.length + (body.echo === true ? inputBound : 0)) * choicesOf(body)
    checkAnswerFits(shownTokens, { stream: body.stream === true, logprobs: body.logprobs ?? null }, 'max_tokens')
    return {
      cap,
      choices: each * prompts.length,
      // Some vendors bill the input once for each choice.
      usage: { ...NO_USAGE, input: BigInt(input), output: BigInt(output), requests: 1n },
    }
  },
  // What is generated besides the best answer is billed and not shown, and some vendors bill the input once for each choice.
  continuesAfterDisconnect: ({ body }) => Math.max(choicesOf(body), body.best_of ?? 1) > 1,
  text: ({ body, prompts }) => countableText([...prompts.map(({ item }) => item), body.suffix ?? '']),
  forms: [
    {
      wire: 'openai.completions',
      fits: ({ modality, capabilities }) => modality === 'completion' || capabilities.has('completions'),
      ask: ({ body }) => ({ json: body as JsonObject }),
      readNonStreaming: (bytes, prepared, head) => ({
        ...readNonStreamingChat(bytes, { ...head, forced: false }, COMPLETION_KIND),
        text: () => generatedTextOf(bytes, prepared),
      }),
      createTap: (prepared, head) =>
        new ChatTap({
          rules: { ...head, forced: false },
          wantsUsage: prepared.body.stream_options?.include_usage === true,
          kind: { object: 'text_completion', idPrefix: 'cmpl', fold: new CompletionFold(echoOf(prepared)) },
        }),
      asEvents: (bytes) => choicesAsEvents(bytes, COMPLETION_KIND),
    },
  ],
  fanOutForms: [
    {
      wire: 'openai.chat',
      fits: ({ modality }) => modality === 'chat',
      check: checkSupportedByChat,
      requestFieldOf: completionsFieldOf,
      askAll: (prepared) => prepared.prompts.map((prompt) => ({ json: chatBodyOf(prepared.body, prompt) as JsonObject })),
      readNonStreaming: readNonStreamingChats,
      createTap: (prepared, head) => new CompletionsChatTap(prepared, head),
      asEvents: choicesAsEvents,
    },
  ],
  language: completionsLanguage,
  redact: (body) => body as JsonValue,
  storesBodyVerbatim: true,
}

const COMPLETION_KIND = {
  object: 'text_completion',
  idPrefix: 'cmpl',
  isChoice: ({ text }: JsonObject): boolean => typeof text === 'string',
} as const

/** What was generated, without prompts that are echoed. */
function generatedTextOf(bytes: Buffer, prepared: PreparedCompletions): string {
  const fold = new CompletionFold(echoOf(prepared))
  fold.add(parseChoices(bytes, COMPLETION_KIND))
  return fold.text()
}
