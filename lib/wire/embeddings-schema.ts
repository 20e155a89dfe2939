import { z } from 'zod'
import { billedUnit, refusedFields } from './schema.ts'
import { textInput } from './text-input.ts'

/**
 * The body of POST /v1/embeddings: what the OpenAI document names is checked, what it does not name is passed
 * on as it came. Source: the OpenAI API, version 2.3.0.
 */
export const embeddingsSchema = z.looseObject({
  model: z.string().min(1).max(200),
  input: textInput('an empty text has no embedding'),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(1_000_000).nullish(),
  user: z.string().nullish(),
  stream: z.literal(false, 'embeddings are not streamed').nullish(),
  ...refusedFields,
  background: billedUnit(),
})

export type EmbeddingsBody = z.infer<typeof embeddingsSchema>
