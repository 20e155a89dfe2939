import { z } from 'zod'

const count = z.number().int().min(0)

/** The answer of POST /v1/embeddings, as the documentation shows it. */
export const embeddingsAnswer = z
  .looseObject({
    object: z.literal('list'),
    data: z.array(
      z.looseObject({
        object: z.literal('embedding'),
        index: count,
        embedding: z.union([z.array(z.number()), z.string()]).meta({
          description: 'A list of numbers, or with `"encoding_format": "base64"` little-endian float32 values in base64.',
        }),
      }),
    ),
    model: z.string(),
    usage: z.looseObject({ prompt_tokens: count, total_tokens: count, cost: z.number().min(0) }),
  })
  .meta({ id: 'Embeddings' })
