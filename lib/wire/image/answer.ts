import { z } from 'zod'

const count = z.number().int().min(0)

const usage = z
  .looseObject({
    input_tokens: count,
    output_tokens: count,
    total_tokens: count,
    input_tokens_details: z.looseObject({ text_tokens: count, image_tokens: count }),
    images: count,
    cost: z.number().min(0),
  })
  .meta({
    id: 'ImageUsage',
    description: 'The usage, and its cost in units of the currency. Models that are billed by the image use no tokens.',
  })

/** How the images were made, if the vendor says so. */
const generationFields = {
  background: z.string().optional(),
  output_format: z.string().optional(),
  quality: z.string().optional(),
  size: z.string().optional(),
}

/** Images that were made. Specification 2.5. */
export const imagesAnswer = z
  .looseObject({
    created: z.number().int(),
    data: z.array(
      z.looseObject({ url: z.string().optional(), b64_json: z.string().optional(), revised_prompt: z.string().optional() }),
    ),
    ...generationFields,
    usage,
  })
  .meta({ id: 'Images' })

/** One event of a streamed answer. */
export const imageEvent = z
  .looseObject({
    type: z.string().describe('image_generation.partial_image, image_generation.completed, and the same for image_edit.'),
    b64_json: z.string(),
    partial_image_index: count.optional(),
    created_at: z.number().int().optional(),
    ...generationFields,
    usage: usage.partial().optional().describe('In the last event, the usage and cost of all images.'),
  })
  .meta({ id: 'ImageEvent' })
