import { z } from 'zod'
import { modelField, userField } from '../fields.ts'
import { refusedFields, separatelyBilledField } from '../schema.ts'
import { textInput } from '../text-input.ts'

/**
 * The body of POST /v1/embeddings. Fields that the OpenAI document names are checked, and all others are passed on unchanged.
 * Source: the OpenAI API, version 2.3.0.
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
  background: separatelyBilledField(),
})

export type EmbeddingsBody = z.infer<typeof embeddingsSchema>
