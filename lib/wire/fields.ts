import { z } from 'zod'

/** Fields that several endpoints have in the same form, with what the API's reference says of them. */

export const modelField = {
  model: z.string().min(1).max(200).describe('The name of a model, as `GET /v1/models` lists it.'),
}

export const userField = {
  user: z.string().nullish().describe('Which of your own users asks, in your words. It is passed on to the vendor.'),
}

export const tierField = {
  service_tier: z
    .enum(['auto', 'default'], 'other tiers are billed apart and have no price here')
    .nullish()
    .describe('There is one tier.'),
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
      'How freely words are chosen: at 0 nearly always the likeliest one, higher values vary more. 1, unless the vendor of the model has a default of its own.',
    ),
  top_p: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe('Words are chosen from the likeliest that have this share together. Set this or `temperature`, hardly both.'),
  presence_penalty: penalty.describe('Above 0, what was mentioned once becomes less likely; below 0, more.'),
  frequency_penalty: penalty.describe('Above 0, a word becomes less likely each time it comes; below 0, more.'),
}

/** What text-making endpoints have besides. */
export const textFields = {
  stop: z
    .union([z.string(), z.array(z.string()).max(16)])
    .nullish()
    .describe('Texts before which the answer ends, wherever one of them would come.'),
  logit_bias: z
    .record(z.string(), z.number().min(-100).max(100))
    .nullish()
    .describe('By the numbers of tokens: how much likelier each is made; at -100 it never comes.'),
  seed: z
    .number()
    .int()
    .nullish()
    .describe('The same number with the same request leads to the same answer, as far as the vendor can.'),
}

export const topLogprobs = z
  .number()
  .int()
  .min(0)
  .max(20)
  .nullish()
  .describe('With log probabilities: how many of the likeliest tokens are named at each place.')

const streamOptions = z
  .looseObject({
    include_usage: z.boolean().nullish().describe('Whether a last event says what was used, and what it cost.'),
    include_obfuscation: z.boolean().nullish().describe('Whether the vendor pads its events, so that their sizes tell nothing.'),
  })
  .nullish()
  .describe('How it is streamed.')

/** Whether an answer is streamed, and how. */
export const streamFields = {
  stream: z.boolean().nullish().describe('Whether the answer comes in pieces, as server-sent events.'),
  stream_options: streamOptions,
}
