import { z } from 'zod'
import { modelField, samplingFields, streamFields, textFields, userField } from '../fields.ts'
import { fieldOfEndpoint, hasStreamForOptions, refusedFields, STREAM_OPTIONS_ERROR, separatelyBilledField } from '../schema.ts'
import { textInput } from '../text-input.ts'

const CHAT = '/v1/chat/completions'

/**
 * The body of POST /v1/completions. Fields that the OpenAI document names are checked, and all others are passed on unchanged.
 * Source: the OpenAI API, version 2.3.0.
 */
export const completionsSchema = z
  .looseObject({
    ...modelField,
    prompt: textInput(null).nullable().describe('What to continue: a text, several texts, or their token ids.'),
    suffix: z.string().nullish().describe('Text that comes after the completion, so that the completion fits in between.'),
    max_tokens: z
      .int()
      .min(0)
      .max(2_000_000_000)
      .nullish()
      .describe(
        'The maximum number of tokens in each completion. The default is 16. A lower value holds less money while the request runs.',
      ),
    n: z.int().min(1).max(128).nullish().describe('How many completions to generate for each prompt. You pay for each.'),
    best_of: z
      .int()
      .min(1)
      .max(20)
      .nullish()
      .describe('How many completions the vendor generates to choose the best `n` from. You pay for each.'),
    echo: z.boolean().nullish().describe('Whether each completion begins with its prompt.'),
    logprobs: z.int().min(0).max(5).nullish().describe('How many of the most likely tokens are returned at each position.'),
    ...streamFields,
    ...textFields,
    ...samplingFields,
    ...userField,
    messages: fieldOfEndpoint(CHAT),
    max_completion_tokens: fieldOfEndpoint(CHAT),
    tools: fieldOfEndpoint(CHAT),
    tool_choice: fieldOfEndpoint(CHAT),
    functions: fieldOfEndpoint(CHAT),
    function_call: fieldOfEndpoint(CHAT),
    modalities: fieldOfEndpoint(CHAT),
    prediction: fieldOfEndpoint(CHAT),
    ...refusedFields,
    audio: separatelyBilledField(),
    background: separatelyBilledField(),
  })
  .refine(hasStreamForOptions, STREAM_OPTIONS_ERROR)
  .refine((body) => body.best_of == null || body.best_of >= (body.n ?? 1), {
    path: ['best_of'],
    error: 'it must be at least "n"',
  })
  .refine((body) => body.stream !== true || body.best_of == null || body.best_of === (body.n ?? 1), {
    path: ['best_of'],
    error: 'an answer chosen from several cannot be streamed. Leave out "stream" or "best_of"',
  })

export type CompletionsBody = z.infer<typeof completionsSchema>
