import { z } from 'zod'
import { vendorStateField } from '../schema.ts'
import { itemTool } from './tools-schema.ts'
import { searchedByClient } from './vendor-defined-tools.ts'

const MAX_TEXT_LENGTH = 10_485_760
const id = z.string().min(1).max(200).nullish()
const status = z.enum(['in_progress', 'completed', 'incomplete']).nullish()
const text = z.string().max(MAX_TEXT_LENGTH)
/** Some vendors put more than a name into the ids of their calls. */
const callId = z.string().min(1).max(2048)
const callName = z.string().min(1).max(128)
/** For a tool in a namespace. */
const namespace = z.string().min(1).max(128).nullish()

const inputText = z.looseObject({ type: z.literal('input_text'), text })
const inputImage = z.looseObject({
  type: z.literal('input_image'),
  file_id: vendorStateField(),
  image_url: z.string().refine((url) => /^(https?:\/\/|data:image\/)/i.test(url), {
    error: 'an image must be an http(s) address or a data:image/... URL',
  }),
  detail: z.enum(['auto', 'low', 'high', 'original']).nullish(),
})
const inputFile = z
  .looseObject({
    type: z.literal('input_file'),
    file_id: vendorStateField(),
    filename: z.string().max(255).nullish(),
    file_data: z.string().min(1).nullish(),
    file_url: z
      .string()
      .regex(/^https?:\/\//i, 'it must be an http(s) address')
      .nullish(),
  })
  .refine((part) => part.file_data != null || part.file_url != null, {
    path: ['file_data'],
    error: 'a file needs "file_data" or "file_url"',
  })

const inputPart = z.discriminatedUnion('type', [inputText, inputImage, inputFile])
const outputPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('output_text'), text, annotations: z.array(z.unknown()).nullish() }),
  z.looseObject({ type: z.literal('refusal'), refusal: text }),
])

const message = { type: z.literal('message').optional(), id, status }
const user = z.looseObject({ ...message, role: z.literal('user'), content: z.union([text, z.array(inputPart).min(1)]) })
const system = z.looseObject({ ...message, role: z.literal('system'), content: z.union([text, z.array(inputText).min(1)]) })
const developer = z.looseObject({ ...message, role: z.literal('developer'), content: z.union([text, z.array(inputText).min(1)]) })
const assistant = z.looseObject({ ...message, role: z.literal('assistant'), content: z.union([text, z.array(outputPart)]) })
const messageItem = z.discriminatedUnion('role', [user, system, developer, assistant])

const output = z.union([text, z.array(inputPart).min(1)])
const functionCall = z.looseObject({
  type: z.literal('function_call'),
  id,
  status,
  call_id: callId,
  namespace,
  name: callName,
  arguments: text,
})
const customCall = z.looseObject({
  type: z.literal('custom_tool_call'),
  id,
  status,
  call_id: callId,
  namespace,
  name: callName,
  input: text,
})
const functionOutput = z.looseObject({ type: z.literal('function_call_output'), id, status, call_id: callId, output })
const customOutput = z.looseObject({ type: z.literal('custom_tool_call_output'), id, status, call_id: callId, output })

const localEnvironment = z
  .looseObject({ type: z.literal('local', { error: 'a container is kept in a vendor account; only "local" is accepted' }) })
  .nullish()
const localShellCall = z.looseObject({
  type: z.literal('local_shell_call'),
  id,
  status,
  call_id: callId,
  action: z.looseObject({ type: z.literal('exec'), command: z.array(text).max(10_000) }),
})
/** OpenAI's document requires a `call_id`, and its clients send only the id. */
const localShellOutput = z.looseObject({
  type: z.literal('local_shell_call_output'),
  id: callId,
  status,
  call_id: callId.nullish(),
  output: text,
})
const shellCall = z.looseObject({
  type: z.literal('shell_call'),
  id,
  status,
  call_id: callId,
  action: z.looseObject({ commands: z.array(text).max(10_000) }),
  environment: localEnvironment,
})
const shellOutput = z.looseObject({
  type: z.literal('shell_call_output'),
  id,
  status,
  call_id: callId,
  output: z.array(z.looseObject({ stdout: text, stderr: text, outcome: z.looseObject({ type: z.string() }) })).max(10_000),
})
const patchCall = z.looseObject({
  type: z.literal('apply_patch_call'),
  id,
  status,
  call_id: callId,
  operation: z.looseObject({ type: z.enum(['create_file', 'update_file', 'delete_file']), path: text, diff: text.nullish() }),
})
const patchOutput = z.looseObject({
  type: z.literal('apply_patch_call_output'),
  id,
  status: z.enum(['completed', 'failed']),
  call_id: callId,
  output: text.nullish(),
})

const toolSearchCall = z.looseObject({
  type: z.literal('tool_search_call'),
  id,
  status,
  call_id: callId,
  execution: searchedByClient.nullish(),
  arguments: z.unknown(),
})
const itemTools = z.array(itemTool).max(256)
/** The tools that the client has found. The model may call them from here on. */
const toolSearchOutput = z.looseObject({
  type: z.literal('tool_search_output'),
  id,
  status,
  call_id: callId,
  execution: searchedByClient.nullish(),
  tools: itemTools,
})
/** Tools besides those of the request. */
const additionalTools = z.looseObject({ type: z.literal('additional_tools'), id, role: z.literal('developer'), tools: itemTools })

const reasoning = z.looseObject({
  type: z.literal('reasoning'),
  id,
  summary: z.array(z.looseObject({ type: z.literal('summary_text'), text })).nullish(),
  content: z.array(z.looseObject({ type: z.literal('reasoning_text'), text })).nullish(),
  encrypted_content: z.string().min(1).nullish(),
})
const IMAGE_ERROR = 'it must be the image itself, in base64'
/** An image that a model made. Of one that is not complete there is nothing to show. */
const imageCall = z.looseObject({
  type: z.literal('image_generation_call'),
  id,
  status: z.enum(['in_progress', 'generating', 'completed', 'failed']).nullish(),
  // Only its beginning is checked, because an image is long.
  result: z
    .string()
    .refine((image) => /^[A-Za-z0-9+/]+={0,2}$/.test(image.slice(0, 64)), { error: IMAGE_ERROR })
    .nullish(),
})
/** A search of the web that the vendor made, or what it did with a page that it found. */
const searchCall = z.looseObject({
  type: z.literal('web_search_call'),
  id,
  status: z.enum(['in_progress', 'searching', 'completed', 'failed']).nullish(),
  action: z.looseObject({ type: z.string().max(64) }).nullish(),
})
const reference = z.looseObject({ type: z.literal('item_reference'), id: z.string().min(1).max(200) })

/**
 * One item of a request to POST /v1/responses. Sources: the Open Responses document of 2026-04-24, the OpenAI API, version
 * 2.3.0, and for tools in items its Node library, version 7.59.
 */
export const itemSchema = z.discriminatedUnion(
  'type',
  [
    messageItem,
    functionCall,
    functionOutput,
    customCall,
    customOutput,
    localShellCall,
    localShellOutput,
    shellCall,
    shellOutput,
    patchCall,
    patchOutput,
    toolSearchCall,
    toolSearchOutput,
    additionalTools,
    reasoning,
    imageCall,
    searchCall,
    reference,
  ],
  {
    error:
      'an item must be a message, a function_call, a custom_tool_call, a shell_call, a local_shell_call, an apply_patch_call, a tool_search_call, an output of one of these, additional_tools, reasoning, an image_generation_call, a web_search_call or an item_reference',
  },
)

export type Item = z.infer<typeof itemSchema>
export type MessageItem = z.infer<typeof messageItem>
export type CallItem = Extract<Item, { type: 'function_call' | 'custom_tool_call' }>
export type ImageItem = Extract<Item, { type: 'image_generation_call' }>
export type OutputItem = Extract<Item, { type: 'function_call_output' | 'custom_tool_call_output' }>

/** Calls of tools that vendors of this wire define and clients run, and their outputs. */
export const CLIENT_RUN_CALLS = ['local_shell_call', 'shell_call', 'apply_patch_call', 'tool_search_call'] as const
const CLIENT_RUN_OUTPUTS = [
  'local_shell_call_output',
  'shell_call_output',
  'apply_patch_call_output',
  'tool_search_output',
] as const
export type ClientRunCall = Extract<Item, { type: (typeof CLIENT_RUN_CALLS)[number] }>
export type ClientRunOutput = Extract<Item, { type: (typeof CLIENT_RUN_OUTPUTS)[number] }>
/** Items that bring tools with them. */
export type ToolsItem = Extract<Item, { type: 'additional_tools' | 'tool_search_output' }>

/** An item without a type is a message. */
export const isMessage = (item: Item): item is MessageItem => item.type === undefined || item.type === 'message'
export const isCall = (item: Item): item is CallItem => item.type === 'function_call' || item.type === 'custom_tool_call'
export const isOutput = (item: Item): item is OutputItem =>
  item.type === 'function_call_output' || item.type === 'custom_tool_call_output'
export const isClientRunCall = (item: Item): item is ClientRunCall => CLIENT_RUN_CALLS.some((type) => type === item.type)
export const isClientRunOutput = (item: Item): item is ClientRunOutput => CLIENT_RUN_OUTPUTS.some((type) => type === item.type)
export const hasTools = (item: Item): item is ToolsItem => item.type === 'additional_tools' || item.type === 'tool_search_output'
export type InputPart = z.infer<typeof inputPart>
