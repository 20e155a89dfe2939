import { z } from 'zod'
import { modelField, samplingFields, tierField, topLogprobs, userField, vendorHintFields } from '../fields.ts'
import {
  fieldOfEndpoint,
  hasStreamForOptions,
  refusedFields,
  renamedField,
  STREAM_OPTIONS_ERROR,
  separatelyBilledField,
  vendorStateField,
} from '../schema.ts'
import { itemSchema } from './items-schema.ts'
import { tool, toolChoice } from './tools-schema.ts'

const format = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: z.string().min(1).max(64),
    description: z.string().nullish(),
    schema: z.record(z.string(), z.unknown()),
    strict: z.boolean().nullish(),
  }),
])

const INCLUDES = [
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
  // What these would show is never part of an answer here.
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
] as const

const CHAT = '/v1/chat/completions'

/** Fields of chats. Here they would silently have no effect, so they are refused. */
const chatOnlyFields = {
  messages: renamedField('input'),
  max_tokens: renamedField('max_output_tokens'),
  max_completion_tokens: renamedField('max_output_tokens'),
  response_format: renamedField('text.format'),
  reasoning_effort: renamedField('reasoning.effort'),
  verbosity: renamedField('text.verbosity'),
  logprobs: renamedField('top_logprobs'),
  n: fieldOfEndpoint(CHAT),
  stop: fieldOfEndpoint(CHAT),
  seed: fieldOfEndpoint(CHAT),
  logit_bias: fieldOfEndpoint(CHAT),
  functions: fieldOfEndpoint(CHAT),
  function_call: fieldOfEndpoint(CHAT),
  modalities: fieldOfEndpoint(CHAT),
  prediction: fieldOfEndpoint(CHAT),
}

/**
 * The body of POST /v1/responses. Fields that the Open Responses document and the OpenAI document name are checked. All others
 * are passed on to vendors that speak this wire. Sources: openapi-2026-04-24 of Open Responses, and the OpenAI API, version
 * 2.3.0.
 */
export const responsesSchema = z
  .looseObject({
    // Two of these fields have their own definition below.
    ...refusedFields,
    ...chatOnlyFields,
    ...modelField,
    input: z
      .union([z.string().max(10_485_760), z.array(itemSchema).max(10_000)])
      .nullish()
      .describe(
        'A text, or items (messages, tool calls with their outputs, more tools, reasoning, and images that a model made), oldest first. Optional if the request continues a response.',
      ),
    instructions: z
      .string()
      .nullish()
      .describe('Instructions that come before everything else. They are not carried over by `previous_response_id`.'),
    previous_response_id: z
      .string()
      .min(1)
      .max(200)
      .nullish()
      .describe(
        'The id of a stored response of this account to continue. Its whole conversation is input again, and is charged.',
      ),
    store: z
      .boolean()
      .nullish()
      .describe(
        'Whether to store the response, so that it can be retrieved and continued. The default is true, unless the account or key keeps no history.',
      ),
    stream: z.boolean().nullish().describe('Whether to stream the response as server-sent events.'),
    stream_options: z.looseObject({ include_obfuscation: z.boolean().nullish() }).nullish().describe('Options for the stream.'),
    include: z.array(z.enum(INCLUDES)).max(16).nullish().describe('What else to include in the response.'),
    max_output_tokens: z
      .number()
      .int()
      .min(16, 'an answer must be allowed at least 16 tokens')
      .max(2_000_000_000)
      .nullish()
      .describe(
        'The maximum number of tokens in the response, including reasoning. A lower value holds less money while the request runs. The default is what a quarter of the available balance pays for, or 4,096 if that is more.',
      ),
    max_tool_calls: z
      .number()
      .int()
      .min(1)
      .nullish()
      .describe(
        'The maximum number of searches with `web_search`, by default 10. A lower value holds less money while the request runs.',
      ),
    ...samplingFields,
    top_logprobs: topLogprobs,
    tools: z
      .array(tool)
      .max(256)
      .nullish()
      .describe(
        'Tools that the model may ask you to call. `shell` (on your own machine), `local_shell`, `apply_patch` and `tool_search` (with `execution: client`) need a model whose vendor offers responses. With `web_search`, the vendor searches the web by itself. The model needs a price for it and a vendor that offers responses, or it is one of Anthropic’s or Google’s.',
      ),
    tool_choice: toolChoice
      .nullish()
      .describe('Whether the model may, must or must not call a tool, or which tool it must call.'),
    parallel_tool_calls: z.boolean().nullish().describe('Whether the model may ask for several calls at once.'),
    text: z
      .looseObject({ format: format.nullish(), verbosity: z.enum(['low', 'medium', 'high']).nullish() })
      .nullish()
      .describe('Whether the text is plain or JSON, with which schema, and how detailed it is.'),
    reasoning: z
      .looseObject({
        effort: z.string().max(32).nullish(),
        summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
        generate_summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
      })
      .nullish()
      .describe('How much a reasoning model thinks, and how its reasoning is summarized.'),
    metadata: z
      .record(z.string().max(64), z.string().max(512))
      .refine((pairs) => Object.keys(pairs).length <= 16, 'it can have at most 16 pairs')
      .nullish()
      .describe('Your own notes on the response, which are returned in it.'),
    ...userField,
    ...vendorHintFields,
    prompt_cache_retention: z
      .string()
      .max(64)
      .nullish()
      .describe('How long the vendor’s cache keeps the beginning of the request, such as 24h, if the vendor has a choice.'),
    truncation: z
      .literal('disabled', 'input is never truncated silently here; shorten it, and leave "truncation" out')
      .nullish()
      .describe('An input that is too long is refused, never truncated.'),
    background: z
      .literal(false, 'a response is always sent on the connection of its request; leave "background" out')
      .nullish()
      .describe('Responses do not run in the background.'),
    ...tierField,
    prompt: vendorStateField(),
    context_management: separatelyBilledField(),
    moderation: separatelyBilledField(),
  })
  .refine(hasStreamForOptions, STREAM_OPTIONS_ERROR)
  .refine(
    ({ previous_response_id: previous, input }) =>
      previous != null || (input != null && !(Array.isArray(input) && input.length === 0)),
    {
      path: ['input'],
      error: 'it needs text or at least one item',
    },
  )

export type ResponsesBody = z.infer<typeof responsesSchema>
