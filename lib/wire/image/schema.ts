import { z } from 'zod'
import { modelField, userField } from '../fields.ts'
import { refusedFields } from '../schema.ts'

/** The fields of both ways to make images, as JSON has them. */
const common = {
  ...modelField,
  prompt: z.string().min(1, 'it needs some text').max(100_000).describe('What the image should show, or what to change in it.'),
  n: z
    .number()
    .int()
    .min(1)
    .max(10)
    .nullish()
    .describe('How many images to generate. The default is 1. You pay for each image that is generated.'),
  size: z
    .string()
    .regex(/^(auto|[1-9]\d{1,4}x[1-9]\d{1,4})$/, 'a size is written <width>x<height>, such as 1024x1024')
    .nullish()
    .describe('One of the sizes of the model, listed on its page in the catalog, or `auto`.'),
  quality: z
    .string()
    .regex(/^[\w.-]{1,32}$/, 'a quality is one word of up to 32 letters, digits, ".", "-" and "_", such as hd')
    .nullish()
    .describe('One of the qualities of the model, such as `standard` or `hd`. It changes the price.'),
  response_format: z
    .enum(['url', 'b64_json'])
    .nullish()
    .describe(
      'A signed URL that is valid for a limited time, or the image itself in base64. The default is a URL, plus base64 for edits and for models that always return base64 at OpenAI.',
    ),
  background: z
    .enum(['transparent', 'opaque', 'auto'])
    .nullish()
    .describe('The background of the image, if the model has a choice.'),
  output_format: z.enum(['png', 'jpeg', 'webp']).nullish().describe('The file format, if the model has a choice.'),
  output_compression: z
    .number()
    .int()
    .min(0)
    .max(100)
    .nullish()
    .describe('The compression quality of a JPEG or WebP, in percent.'),
  partial_images: z
    .number()
    .int()
    .min(0)
    .max(3)
    .nullish()
    .describe('How many partial images to send before a streamed image is complete.'),
  stream: z
    .boolean()
    .nullish()
    .describe('Whether to stream partial images and the final image as server-sent events, if the model supports it.'),
  ...userField,
  moderation: z.enum(['low', 'auto']).nullish().describe('How strictly the vendor moderates the request.'),
  ...refusedFields,
}

const isStreamFormatValid = (body: { stream?: unknown; response_format?: unknown }): boolean =>
  body.stream !== true || body.response_format !== 'url'

const STREAM_FORMAT_ERROR = {
  path: ['response_format'],
  error: 'a stream carries its images in base64. Ask for "b64_json", or leave out "stream"',
}

/**
 * The body of POST /v1/images/generations. Fields that the specification's table or the OpenAI document names are checked, and
 * all others are passed on unchanged. The catalog entry of a model says which of them it supports. Source: the OpenAI API,
 * version 2.3.0, CreateImageRequest.
 */
export const imageSchema = z
  .looseObject({
    ...common,
    style: z.enum(['vivid', 'natural']).nullish().describe('Dramatic or natural, if the model has a choice.'),
  })
  .refine(isStreamFormatValid, STREAM_FORMAT_ERROR)

/** The fields of POST /v1/images/edits, read from its form. Source: the OpenAI API, version 2.3.0, CreateImageEditRequest. */
export const imageEditSchema = z
  .looseObject({
    ...common,
    input_fidelity: z.enum(['high', 'low']).nullish().describe('How closely the input images are preserved, faces above all.'),
  })
  .refine(isStreamFormatValid, STREAM_FORMAT_ERROR)

export type ImageBody = z.infer<typeof imageSchema>
export type ImageEditBody = z.infer<typeof imageEditSchema>
