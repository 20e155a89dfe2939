import { z } from 'zod'
import { refusedFields } from './schema.ts'

/** What both ways to make images take, as JSON has it. */
const common = {
  model: z.string().min(1).max(200),
  prompt: z.string().min(1, 'it needs some text').max(100_000),
  n: z.number().int().min(1).max(10).nullish(),
  size: z
    .string()
    .regex(/^(auto|[1-9]\d{1,4}x[1-9]\d{1,4})$/, 'a size is written <width>x<height>, such as 1024x1024')
    .nullish(),
  quality: z.string().min(1).max(32).nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish(),
  output_format: z.enum(['png', 'jpeg', 'webp']).nullish(),
  output_compression: z.number().int().min(0).max(100).nullish(),
  partial_images: z.number().int().min(0).max(3).nullish(),
  stream: z.boolean().nullish(),
  user: z.string().nullish(),
  ...refusedFields,
}

/**
 * The body of POST /v1/images/generations: what the specification's table and the OpenAI document name is checked, what
 * neither names is passed on as it came. What a model has of it, its catalog entry says. Source: the OpenAI API, version
 * 2.3.0, CreateImageRequest.
 */
export const imageSchema = z.looseObject({
  ...common,
  moderation: z.enum(['low', 'auto']).nullish(),
  style: z.enum(['vivid', 'natural']).nullish(),
})

/** The fields of POST /v1/images/edits, read from its form. Source: the OpenAI API, version 2.3.0, CreateImageEditRequest. */
export const imageEditSchema = z.looseObject({
  ...common,
  moderation: z.enum(['low', 'auto']).nullish(),
  input_fidelity: z.enum(['high', 'low']).nullish(),
})

export type ImageBody = z.infer<typeof imageSchema>
export type ImageEditBody = z.infer<typeof imageEditSchema>
