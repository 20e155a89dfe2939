import { z } from 'zod'
import {
  modelField,
  samplingFields,
  streamFields,
  textFields,
  tierField,
  topLogprobs,
  userField,
  vendorHintFields,
} from '../fields.ts'
import {
  hasStreamForOptions,
  refusedFields,
  refuseTool,
  STREAM_OPTIONS_ERROR,
  separatelyBilledField,
  vendorStateField,
} from '../schema.ts'
import { webSearchOptions } from './web-search.ts'

const name = z.string().max(64).nullish()

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() })
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({
    url: z.string().refine((url) => /^(https?:\/\/|data:image\/)/i.test(url), {
      error: 'an image must be an http(s) address or a data:image/... URL',
    }),
    detail: z.enum(['auto', 'low', 'high', 'original']).nullish(),
  }),
})
const audioPart = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.looseObject({
    data: z
      .string()
      .min(1)
      .refine((data) => !/^[a-z][a-z\d+.-]*:\/\//i.test(data), {
        error: 'audio must be in the request itself, in base64; addresses are not accepted because their content is unknown',
      }),
    format: z.string().max(16),
  }),
})
const videoPart = z.looseObject({ type: z.literal('video_url'), video_url: z.looseObject({ url: z.string().min(1) }) })
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({ file_id: vendorStateField(), file_data: z.string().min(1), filename: z.string().max(255).nullish() }),
})
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() })

const text = z.union([z.string(), z.array(textPart).min(1)])
/**
 * Images and files of tools are not part of this wire, although some servers accept them: each would need its own sizing and
 * carrying.
 */
const toolTextPart = z.looseObject({
  type: z.literal('text', 'tool outputs must be text here; send images and files in a message with the role "user" after them'),
  text: z.string(),
})
const toolText = z.union([z.string(), z.array(toolTextPart).min(1)])
const userContent = z.union([
  z.string(),
  z.array(z.discriminatedUnion('type', [textPart, imagePart, audioPart, videoPart, filePart])).min(1),
])

const toolCall = z.discriminatedUnion('type', [
  z.looseObject({
    id: z.string().min(1),
    type: z.literal('function'),
    function: z.looseObject({ name: z.string().min(1).max(128), arguments: z.string() }),
  }),
  z.looseObject({
    id: z.string().min(1),
    type: z.literal('custom'),
    custom: z.looseObject({ name: z.string(), input: z.string() }),
  }),
])

const assistant = z.looseObject({
  role: z.literal('assistant'),
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textPart, refusalPart]))]).nullish(),
  name,
  audio: vendorStateField(),
  refusal: z.string().nullish(),
  tool_calls: z.array(toolCall).max(256).nullish(),
  function_call: z.looseObject({ name: z.string(), arguments: z.string() }).nullish(),
})

const message = z
  .discriminatedUnion('role', [
    z.looseObject({ role: z.literal('system'), content: text, name }),
    z.looseObject({ role: z.literal('developer'), content: text, name }),
    z.looseObject({ role: z.literal('user'), content: userContent, name }),
    assistant,
    z.looseObject({ role: z.literal('tool'), content: toolText, tool_call_id: z.string().min(1) }),
    z.looseObject({ role: z.literal('function'), content: z.string().nullable(), name: z.string() }),
  ])
  .refine(
    (item) =>
      item.role !== 'assistant' ||
      item.content != null ||
      item.tool_calls != null ||
      item.function_call != null ||
      item.refusal != null,
    { path: ['content'], error: 'an assistant message needs content or tool_calls' },
  )

const functionShape = z.looseObject({
  name: z.string().regex(/^[a-zA-Z0-9_.:-]{1,128}$/, 'a function name can have at most 128 letters, digits and _ . : -'),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
})
const tool = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('function'), function: functionShape }),
    z.looseObject({ type: z.literal('custom'), custom: z.looseObject({ name: z.string().min(1) }) }),
  ],
  { error: refuseTool('"function" and "custom"') },
)

const named = z.looseObject({ name: z.string() }).nullish()
/** Vendors have types of their own, which pass. The contents of OpenAI's types are checked. */
const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({
    type: z.string(),
    function: named,
    custom: named,
    allowed_tools: z
      .looseObject({
        mode: z.enum(['auto', 'required']).nullish(),
        tools: z.array(z.looseObject({ type: z.string(), function: named, custom: named })).max(256),
      })
      .nullish(),
  }),
])

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name: z.string().min(1).max(64),
      schema: z.record(z.string(), z.unknown()).optional(),
      strict: z.boolean().nullish(),
    }),
  }),
])

const tokens = z.number().int().min(1).max(2_000_000_000)

/**
 * The body of POST /v1/chat/completions. Fields that the specification's table or the OpenAI document names are checked. All
 * others are passed on unchanged. Source: the OpenAI API, version 2.3.0.
 */
export const chatSchema = z
  .looseObject({
    ...modelField,
    messages: z
      .array(message)
      .min(1, 'it needs at least one message')
      .max(10_000)
      .describe('The conversation so far, oldest message first.'),
    ...samplingFields,
    n: z
      .number()
      .int()
      .min(1)
      .max(128)
      .nullish()
      .describe('How many choices to generate for the same messages. You pay for each.'),
    ...streamFields,
    ...textFields,
    max_tokens: tokens.nullish().describe('The older name of `max_completion_tokens`.'),
    max_completion_tokens: tokens
      .nullish()
      .describe(
        'The maximum number of tokens in the output, including reasoning. A lower value holds less money while the request runs. The default is what a quarter of the available balance pays for, or 4,096 if that is more.',
      ),
    logprobs: z.boolean().nullish().describe('Whether to return the log probability of each output token.'),
    top_logprobs: topLogprobs,
    ...userField,
    ...vendorHintFields,
    tools: z.array(tool).max(256).nullish().describe('Tools that the model may ask you to call.'),
    tool_choice: toolChoice
      .nullish()
      .describe('Whether the model may, must or must not call a tool, or which tool it must call.'),
    parallel_tool_calls: z.boolean().nullish().describe('Whether the model may ask for several calls at once.'),
    response_format: responseFormat.nullish().describe('Text, any JSON, or JSON that follows a schema.'),
    reasoning_effort: z
      .string()
      .max(32)
      .nullish()
      .describe(
        'How much a reasoning model thinks before it answers, such as `low` or `high`. The vendor defines the accepted values.',
      ),
    verbosity: z
      .string()
      .max(32)
      .nullish()
      .describe('How detailed the answer is, such as `low` or `high`, if the model supports it.'),
    modalities: z
      .array(
        z.enum(
          ['text', 'image'],
          'only text and images can be asked for here; audio answers are billed separately and have no price',
        ),
      )
      .nullish()
      .describe(
        'The types of output. `image` needs a model that makes images and has a price for them (`image_output`). They are in `images` of the message. `image_config` is passed on to vendors that know it.',
      ),
    functions: z.array(functionShape).max(256).nullish().describe('The older form of `tools`.'),
    prediction: z
      .looseObject({ type: z.literal('content'), content: text })
      .nullish()
      .describe(
        'Text that most of the output will repeat, such as a file in which you want a change. What matches is generated faster, if the model supports it. Predicted tokens that are not used are billed as output.',
      ),
    store: z.boolean().nullish().describe('Passed on to vendors that support it. It does not store anything here.'),
    metadata: z
      .record(z.string(), z.string())
      .nullish()
      .describe('Your own notes on the request, passed on to vendors that support them.'),
    ...refusedFields,
    web_search_options: webSearchOptions
      .nullish()
      .describe(
        'Lets the model search the web, if it can and has a price for searches (`web_search`): Claude and Gemini by their own APIs. You pay for each search. `filters.allowed_domains` limits where, and `max_uses` how often, by default 10 times; fewer searches hold less money while the request runs. Models that search for each request, such as `gpt-5-search-api`, take it if each request has a price. Other models search with the tool `web_search` of responses.',
      ),
    ...tierField,
    audio: separatelyBilledField(),
    background: separatelyBilledField(),
    moderation: separatelyBilledField(),
  })
  .refine(hasStreamForOptions, STREAM_OPTIONS_ERROR)
  .refine(
    (body) => body.max_tokens == null || body.max_completion_tokens == null || body.max_tokens === body.max_completion_tokens,
    {
      path: ['max_completion_tokens'],
      error: 'it conflicts with "max_tokens"; send one of them',
    },
  )

export type ChatBody = z.infer<typeof chatSchema>
