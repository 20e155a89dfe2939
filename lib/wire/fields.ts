import { z } from 'zod'

/** Fields that several endpoints share, with their descriptions in the API reference. */

export const modelField = {
  model: z
    .string()
    .min(1)
    .max(200)
    .describe(
      'The id of a model, as listed by `GET /v1/models`. What stands before its first slash can be left out if one model has the rest.',
    ),
}

export const userField = {
  user: z.string().nullish().describe('Your own identifier of the end user. It is passed on to the vendor.'),
}

/** What helps the vendor with many requests that belong together. Source: the OpenAI API, version 2.3.0. */
export const vendorHintFields = {
  safety_identifier: z
    .string()
    .max(64)
    .nullish()
    .describe('A stable identifier of your user, which helps the vendor detect abuse. Use a hash rather than an email address.'),
  prompt_cache_key: z
    .string()
    .max(64)
    .nullish()
    .describe('Requests that begin alike and have the same key are more likely to be served from the vendor’s cache.'),
}

export const tierField = {
  service_tier: z
    .enum(['auto', 'default'], 'other tiers are billed separately and have no price here')
    .nullish()
    .describe('There is only one tier.'),
}

const penalty = z.number().min(-2).max(2).nullish()

/** How the next token is chosen. */
export const samplingFields = {
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullish()
    .describe(
      'How much the output varies. At 0, the most likely token is nearly always chosen; higher values vary more. The default is 1, unless the vendor of the model has another.',
    ),
  top_p: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe(
      'Tokens are chosen only from the most likely ones that together have this probability. Set this or `temperature`, preferably not both.',
    ),
  presence_penalty: penalty.describe('Above 0, tokens that have already appeared become less likely; below 0, more likely.'),
  frequency_penalty: penalty.describe('Above 0, a token becomes less likely each time it appears; below 0, more likely.'),
}

/** More fields of the endpoints that generate text. */
export const textFields = {
  stop: z
    .union([z.string(), z.array(z.string()).max(16)])
    .nullish()
    .describe('Sequences at which the output stops. The sequence itself is not included.'),
  logit_bias: z
    .record(z.string(), z.number().min(-100).max(100))
    .nullish()
    .describe('Maps token ids to a bias that makes each token more or less likely. At -100, a token never appears.'),
  seed: z
    .number()
    .int()
    .nullish()
    .describe('The same seed with the same request gives the same output, as far as the vendor supports it.'),
}

export const topLogprobs = z
  .number()
  .int()
  .min(0)
  .max(20)
  .nullish()
  .describe('With log probabilities: how many of the most likely tokens are returned at each position.')

const streamOptions = z
  .looseObject({
    include_usage: z.boolean().nullish().describe('Whether a last event reports the usage and its cost.'),
    include_obfuscation: z
      .boolean()
      .nullish()
      .describe('Whether the vendor pads its events, so that their sizes reveal nothing.'),
  })
  .nullish()
  .describe('Options for the stream.')

/** Whether an answer is streamed, and how. */
export const streamFields = {
  stream: z.boolean().nullish().describe('Whether to stream the response as server-sent events.'),
  stream_options: streamOptions,
}
