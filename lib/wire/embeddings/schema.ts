import { z } from 'zod'
import { modelField, userField } from '../fields.ts'
import { billedUnit, refusedFields } from '../schema.ts'
import { textInput } from '../text-input.ts'

/**
 * The body of POST /v1/embeddings: what the OpenAI document names is checked, what it does not name is passed
 * on as it came. Source: the OpenAI API, version 2.3.0.
 */
export const embeddingsSchema = z.looseObject({
  ...modelField,
  input: textInput('an empty text has no embedding').describe('What to embed: a text, several texts, or their token ids.'),
  encoding_format: z
    .enum(['float', 'base64'])
    .nullish()
    .describe('Numbers in JSON, or the bytes of 32-bit floats in base64, which is shorter.'),
  dimensions: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullish()
    .describe('The number of dimensions of each vector, if the model can shorten it.'),
  ...userField,
  stream: z.literal(false, 'embeddings are not streamed').nullish().describe('Embeddings cannot be streamed.'),
  ...refusedFields,
  background: billedUnit(),
})

export type EmbeddingsBody = z.infer<typeof embeddingsSchema>
