import { z } from 'zod'
import { modelField, samplingFields, streamFields, textFields, userField } from '../fields.ts'
import { belongsTo, billedUnit, NO_STREAM, refusedFields, streamsWhatItDescribes } from '../schema.ts'
import { textInput } from '../text-input.ts'

const CHAT = '/v1/chat/completions'

/**
 * The body of POST /v1/completions: what the OpenAI document names is checked, what it does not name is passed
 * on as it came. Source: the OpenAI API, version 2.3.0.
 */
export const completionsSchema = z
  .looseObject({
    ...modelField,
    prompt: textInput(null).nullable().describe('What is continued: a text, several, or the numbers of their tokens.'),
    suffix: z.string().nullish().describe('What comes after the answer, so that it fits in between.'),
    max_tokens: z
      .int()
      .min(0)
      .max(2_000_000_000)
      .nullish()
      .describe(
        'The most tokens that each answer may have; 16 unless told. The lower it is, the less is held while the request runs.',
      ),
    n: z.int().min(1).max(128).nullish().describe('How many answers each prompt gets. Each is paid for.'),
    best_of: z.int().min(1).max(20).nullish().describe('How many the vendor makes to choose the best `n` of. Each is paid for.'),
    echo: z.boolean().nullish().describe('Whether each answer begins with its prompt.'),
    logprobs: z.int().min(0).max(5).nullish().describe('How many of the likeliest tokens are named at each place.'),
    ...streamFields,
    ...textFields,
    ...samplingFields,
    ...userField,
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
