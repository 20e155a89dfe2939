import { z } from 'zod'

const count = z.number().int().min(0)

/** The `usage` of every language answer. `cost` is in currency units. */
export const usageAnswer = z
  .looseObject({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: z.looseObject({ cached_tokens: count }).optional(),
    completion_tokens_details: z.looseObject({ reasoning_tokens: count, image_tokens: count.optional() }).optional(),
    server_tool_use: z.looseObject({ web_search_requests: count }).optional(),
    cost: z.number().min(0),
  })
  .meta({ id: 'Usage', description: 'The usage, and its cost in units of the currency.' })

const toolCall = z.looseObject({
  id: z.string().optional(),
  type: z.string().optional(),
  function: z.looseObject({ name: z.string().optional(), arguments: z.string() }).optional(),
})

const head = {
  id: z.string(),
  created: z.number().int(),
  model: z.string(),
  service_tier: z.string().nullish(),
  system_fingerprint: z.string().nullish(),
}

const tokenLogprob = { token: z.string(), logprob: z.number(), bytes: z.array(count).nullish() }

/** Present if they were requested. */
const logprobs = z
  .looseObject({
    content: z.array(z.looseObject({ ...tokenLogprob, top_logprobs: z.array(z.looseObject(tokenLogprob)).optional() })).nullish(),
  })
  .nullish()

const images = z
  .array(z.looseObject({ type: z.string().optional(), image_url: z.looseObject({ url: z.string() }).optional() }))
  .nullish()
  .describe('Images that the model made, as data: URLs.')

const annotations = z
  .array(z.looseObject({ type: z.string().optional(), url_citation: z.looseObject({ url: z.string() }).optional() }))
  .nullish()
  .describe('The web pages that the text cites.')

/** What a reasoning model says about its thoughts. Signed ones belong in the next request, unchanged. */
const thoughts = {
  reasoning_content: z.string().nullish(),
  reasoning_details: z.array(z.looseObject({ type: z.string().optional() })).nullish(),
}

/** A whole chat completion. Specification 2.4. */
export const chatAnswer = z
  .looseObject({
    ...head,
    object: z.literal('chat.completion'),
    choices: z.array(
      z.looseObject({
        index: count,
        message: z.looseObject({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.string().nullish(),
          tool_calls: z.array(toolCall).nullish(),
          images,
          annotations,
          ...thoughts,
        }),
        logprobs,
        finish_reason: z.string().nullable(),
      }),
    ),
    usage: usageAnswer,
  })
  .meta({ id: 'ChatCompletion' })

/** One event of a streamed chat completion; `[DONE]` follows the last. Specification 4.1. */
export const chatEvent = z
  .looseObject({
    ...head,
    object: z.literal('chat.completion.chunk'),
    choices: z.array(
      z.looseObject({
        index: count,
        delta: z.looseObject({
          role: z.string().nullish(),
          content: z.string().nullish(),
          refusal: z.string().nullish(),
          tool_calls: z.array(z.looseObject({ ...toolCall.shape, index: count })).nullish(),
          images,
          annotations,
          ...thoughts,
        }),
        logprobs,
        finish_reason: z.string().nullish(),
      }),
    ),
    usage: usageAnswer.nullish(),
  })
  .meta({ id: 'ChatCompletionChunk' })
