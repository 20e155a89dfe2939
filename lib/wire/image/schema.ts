import { z } from 'zod'
import { modelField, userField } from '../fields.ts'
import { refusedFields } from '../schema.ts'

/** What both ways to make images take, as JSON has it. */
const common = {
  ...modelField,
  prompt: z.string().min(1, 'it needs some text').max(100_000).describe('What the image shows, or what is changed in it.'),
  n: z
    .number()
    .int()
    .min(1)
    .max(10)
    .nullish()
    .describe('How many images, 1 unless told otherwise. Each that is made is paid for.'),
  size: z
    .string()
    .regex(/^(auto|[1-9]\d{1,4}x[1-9]\d{1,4})$/, 'a size is written <width>x<height>, such as 1024x1024')
    .nullish()
    .describe('One of the sizes that the model makes, which its page in the catalog names, or `auto`.'),
  quality: z
    .string()
    .regex(/^[\w.-]{1,32}$/, 'a quality is one word of up to 32 letters, digits, ".", "-" and "_", such as hd')
    .nullish()
    .describe('One of the qualities of the model, such as `standard` or `hd`. It changes the price.'),
  response_format: z
    .enum(['url', 'b64_json'])
    .nullish()
    .describe(
      'A signed address that is good for a limited time, or the image itself in base64. Without it an address, and base64 beside it for edits and for models that always answer base64 at OpenAI.',
    ),
  background: z
    .enum(['transparent', 'opaque', 'auto'])
    .nullish()
    .describe('What is behind the subject, where the model can choose.'),
  output_format: z.enum(['png', 'jpeg', 'webp']).nullish().describe('The format of the file, where the model can choose.'),
  output_compression: z.number().int().min(0).max(100).nullish().describe('How much a JPEG or WebP keeps, in percent.'),
  partial_images: z.number().int().min(0).max(3).nullish().describe('How many drafts are shown on the way to a streamed image.'),
  stream: z.boolean().nullish().describe('Whether drafts and the image come as server-sent events, where the model can.'),
  ...userField,
  moderation: z.enum(['low', 'auto']).nullish().describe('How strictly the vendor looks at what is asked for.'),
  ...refusedFields,
}

const streamsBytes = (body: { stream?: unknown; response_format?: unknown }): boolean =>
  body.stream !== true || body.response_format !== 'url'

const NO_ADDRESS = {
  path: ['response_format'],
  error: 'a stream carries its images in base64. Ask for "b64_json", or leave out "stream"',
}

/**
 * The body of POST /v1/images/generations: what the specification's table and the OpenAI document name is checked, what
 * neither names is passed on as it came. What a model has of it, its catalog entry says. Source: the OpenAI API, version
 * 2.3.0, CreateImageRequest.
 */
export const imageSchema = z
  .looseObject({
    ...common,
    style: z.enum(['vivid', 'natural']).nullish().describe('Dramatic or plain, where the model can choose.'),
  })
  .refine(streamsBytes, NO_ADDRESS)

/** The fields of POST /v1/images/edits, read from its form. Source: the OpenAI API, version 2.3.0, CreateImageEditRequest. */
export const imageEditSchema = z
  .looseObject({
    ...common,
    input_fidelity: z.enum(['high', 'low']).nullish().describe('How closely what is kept of the image is kept, faces above all.'),
  })
  .refine(streamsBytes, NO_ADDRESS)

export type ImageBody = z.infer<typeof imageSchema>
export type ImageEditBody = z.infer<typeof imageEditSchema>
