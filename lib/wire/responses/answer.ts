import { z } from 'zod'

const count = z.number().int().min(0)

const item = z
  .looseObject({
    type: z.enum([
      'message',
      'reasoning',
      'function_call',
      'custom_tool_call',
      'image_generation_call',
      'local_shell_call',
      'shell_call',
      'apply_patch_call',
      'tool_search_call',
      'web_search_call',
    ]),
    id: z.string(),
    status: z.enum(['in_progress', 'searching', 'completed', 'incomplete', 'failed']).optional(),
    role: z.literal('assistant').optional(),
    content: z.array(z.looseObject({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() })).optional(),
    summary: z.array(z.looseObject({ type: z.literal('summary_text'), text: z.string() })).optional(),
    encrypted_content: z.string().optional().describe('Send it back unchanged: the model may need it to continue.'),
    call_id: z.string().optional(),
    name: z.string().optional(),
    arguments: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .optional()
      .describe('JSON as text; for a `tool_search_call` JSON itself.'),
    result: z.string().nullish().describe('An image that the model made, in base64.'),
    output_format: z.string().optional().describe('Of an image, such as `png`.'),
  })
  .meta({ id: 'ResponseItem' })

/** The request's fields that are in its response, or the values that applied if the request named none. */
const requestFields = {
  background: z.literal(false).optional(),
  instructions: z.string().nullish(),
  max_output_tokens: count.nullish(),
  max_tool_calls: count.nullish(),
  parallel_tool_calls: z.boolean().optional(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.string().nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish(), summary: z.string().nullish() }).nullish(),
  safety_identifier: z.string().nullish(),
  service_tier: z.string().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }).optional(), verbosity: z.string().nullish() }).optional(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).optional(),
  tools: z.array(z.looseObject({ type: z.string() })).optional(),
  top_logprobs: count.nullish(),
  truncation: z.string().nullish(),
  user: z.string().nullish(),
}

/** A non-streaming response. Open Responses, ResponseResource. */
export const responseAnswer = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.number().int(),
    completed_at: z.number().int().nullable(),
    status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
    incomplete_details: z.looseObject({ reason: z.string() }).nullable(),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
    model: z.string(),
    output: z.array(item),
    previous_response_id: z.string().nullable(),
    store: z.boolean().describe('Whether the response can be retrieved and continued.'),
    metadata: z.record(z.string(), z.string()),
    ...requestFields,
    usage: z
      .looseObject({
        input_tokens: count,
        input_tokens_details: z.looseObject({ cached_tokens: count, cache_write_tokens: count }),
        output_tokens: count,
        output_tokens_details: z.looseObject({ reasoning_tokens: count, image_tokens: count.optional() }),
        total_tokens: count,
        cost: z.number().min(0),
      })
      .nullable(),
  })
  .meta({ id: 'Response' })

/** One event of a streamed response. `[DONE]` follows the last one, but not an error. */
export const responseEvent = z
  .looseObject({
    type: z.string().describe('Such as response.created, response.output_text.delta, response.completed or error.'),
    sequence_number: count,
    response: responseAnswer.optional(),
    output_index: count.optional(),
    item_id: z.string().optional(),
    item: item.optional(),
    content_index: count.optional(),
    summary_index: count.optional(),
    part: z.looseObject({ type: z.string() }).optional(),
    delta: z.string().optional(),
    text: z.string().optional(),
    refusal: z.string().optional(),
    name: z.string().optional(),
    arguments: z.string().optional(),
  })
  .meta({ id: 'ResponseEvent' })

export const deletedAnswer = z
  .object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) })
  .meta({ id: 'DeletedResponse' })

export const inputItemsAnswer = z
  .object({
    object: z.literal('list'),
    data: z.array(z.looseObject({ type: z.string(), id: z.string() })),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'ResponseInputItems' })
