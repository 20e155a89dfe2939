import { z } from 'zod'
import { billedUnit, NO_STREAM, refusedFields, streamFields, streamsWhatItDescribes, vendorState } from './schema.ts'

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
  input_audio: z.looseObject({ data: z.string().min(1), format: z.string().max(16) }),
})
const videoPart = z.looseObject({ type: z.literal('video_url'), video_url: z.looseObject({ url: z.string().min(1) }) })
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({ file_id: vendorState(), file_data: z.string().min(1), filename: z.string().max(255).nullish() }),
})
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() })

const text = z.union([z.string(), z.array(textPart).min(1)])
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
  audio: vendorState(),
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
    z.looseObject({ role: z.literal('tool'), content: text, tool_call_id: z.string().min(1) }),
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
  name: z.string().regex(/^[a-zA-Z0-9_.:-]{1,128}$/, 'a function name has letters, digits, _ . : - and at most 128 of them'),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.json()).nullish(),
  strict: z.boolean().nullish(),
})
const tool = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('function'), function: functionShape }),
    z.looseObject({ type: z.literal('custom'), custom: z.looseObject({ name: z.string().min(1) }) }),
  ],
  { error: 'only tools of type "function" and "custom" run here; a vendor\'s hosted tools are billed apart' },
)

const toolChoice = z.union([z.enum(['none', 'auto', 'required']), z.looseObject({ type: z.string() })])

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name: z.string().min(1).max(64),
      schema: z.record(z.string(), z.json()).optional(),
      strict: z.boolean().nullish(),
    }),
  }),
])

const tokens = z.number().int().min(1).max(2_000_000_000)
const penalty = z.number().min(-2).max(2).nullish()

/**
 * The body of POST /v1/chat/completions: what the specification's table and the OpenAI document name is
 * checked, what neither names is passed on as it came. Source: the OpenAI API, version 2.3.0.
 */
export const chatSchema = z
  .looseObject({
    model: z.string().min(1).max(200),
    messages: z.array(message).min(1, 'it needs at least one message').max(10_000),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    n: z.number().int().min(1).max(128).nullish(),
    ...streamFields,
    stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
    max_tokens: tokens.nullish(),
    max_completion_tokens: tokens.nullish(),
    presence_penalty: penalty,
    frequency_penalty: penalty,
    logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
    logprobs: z.boolean().nullish(),
    top_logprobs: z.number().int().min(0).max(20).nullish(),
    seed: z.number().int().nullish(),
    user: z.string().nullish(),
    tools: z.array(tool).max(256).nullish(),
    tool_choice: toolChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    response_format: responseFormat.nullish(),
    reasoning_effort: z.string().max(32).nullish(),
    verbosity: z.string().max(32).nullish(),
    modalities: z
      .array(z.literal('text', 'only text is answered here; audio answers are billed apart and have no price'))
      .nullish(),
    functions: z.array(functionShape).max(256).nullish(),
    store: z.boolean().nullish(),
    metadata: z.record(z.string(), z.string()).nullish(),
    ...refusedFields,
    audio: billedUnit(),
    background: billedUnit(),
  })
  .refine(streamsWhatItDescribes, NO_STREAM)
  .refine(
    (body) => body.max_tokens == null || body.max_completion_tokens == null || body.max_tokens === body.max_completion_tokens,
    {
      path: ['max_completion_tokens'],
      error: 'it and "max_tokens" say different things; send one of them',
    },
  )

export type ChatBody = z.infer<typeof chatSchema>
