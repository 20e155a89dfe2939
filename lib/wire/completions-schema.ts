import { z } from 'zod'
import { belongsTo, billedUnit, NO_STREAM, refusedFields, streamFields, streamsWhatItDescribes } from './schema.ts'
import { textInput } from './text-input.ts'

const CHAT = '/v1/chat/completions'
const penalty = z.number().min(-2).max(2).nullish()

/**
 * The body of POST /v1/completions: what the OpenAI document names is checked, what it does not name is passed
 * on as it came. Source: the OpenAI API, version 2.3.0.
 */
export const completionsSchema = z
  .looseObject({
    model: z.string().min(1).max(200),
    prompt: textInput(null).nullable(),
    suffix: z.string().nullish(),
    max_tokens: z.int().min(0).max(2_000_000_000).nullish(),
    n: z.int().min(1).max(128).nullish(),
    best_of: z.int().min(1).max(20).nullish(),
    echo: z.boolean().nullish(),
    logprobs: z.int().min(0).max(5).nullish(),
    ...streamFields,
    stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    presence_penalty: penalty,
    frequency_penalty: penalty,
    logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
    seed: z.int().nullish(),
    user: z.string().nullish(),
    messages: belongsTo(CHAT),
    max_completion_tokens: belongsTo(CHAT),
    tools: belongsTo(CHAT),
    tool_choice: belongsTo(CHAT),
    functions: belongsTo(CHAT),
    function_call: belongsTo(CHAT),
    modalities: belongsTo(CHAT),
    prediction: belongsTo(CHAT),
    ...refusedFields,
    audio: billedUnit(),
    background: billedUnit(),
  })
  .refine(streamsWhatItDescribes, NO_STREAM)
  .refine((body) => body.best_of == null || body.best_of >= (body.n ?? 1), {
    path: ['best_of'],
    error: 'it has to be at least "n"',
  })
  .refine((body) => body.stream !== true || body.best_of == null || body.best_of === (body.n ?? 1), {
    path: ['best_of'],
    error: 'what is chosen from several cannot be streamed. Leave out "stream" or "best_of"',
  })

export type CompletionsBody = z.infer<typeof completionsSchema>
