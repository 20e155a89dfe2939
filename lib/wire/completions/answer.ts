import { z } from 'zod'
import { usageAnswer } from '../chat/answer.ts'

const numbers = z.array(z.number().nullable()).nullish()

/** An answer of POST /v1/completions, and one event of its stream, as the documentation shows them. */
const shape = z.looseObject({
  id: z.string(),
  object: z.literal('text_completion'),
  created: z.number().int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.number().int().min(0),
      text: z.string(),
      logprobs: z
        .looseObject({
          tokens: z.array(z.string()).nullish(),
          token_logprobs: numbers,
          top_logprobs: z.array(z.record(z.string(), z.number()).nullable()).nullish(),
          text_offset: z.array(z.number()).nullish(),
        })
        .nullable(),
      finish_reason: z.string().nullable(),
    }),
  ),
})

export const completionAnswer = shape.extend({ usage: usageAnswer }).meta({ id: 'Completion' })
export const completionEvent = shape.extend({ usage: usageAnswer.nullish() }).meta({ id: 'CompletionChunk' })
