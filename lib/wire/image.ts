import { redactMedia } from './chat/media.ts'
import type { PaidEndpoint } from './endpoint.ts'
import { imageEvent, imagesAnswer } from './image/answer.ts'
import { type ImageBody, imageSchema } from './image/schema.ts'
import { ImageTap } from './image/tap.ts'
import { type ImageWork, readImageAnswer } from './image/whole.ts'
import { boundOf, estimateOf, goesOut, prepareImages, toldFields } from './image/work.ts'
import type { JsonObject } from './json.ts'
import { parseWith } from './schema.ts'

interface PreparedImages extends ImageWork {
  body: ImageBody
}

/** What is sent to a vendor: everything that arrived except fields that are null, with some fields in the model's own terms. */
function outgoing(work: PreparedImages): JsonObject {
  const meant = Object.entries(work.body).filter(([field, value]) => value !== null && goesOut(field, work))
  return { ...Object.fromEntries(meant), ...toldFields(work) } as JsonObject
}

/** POST /v1/images/generations. Specification 4.4; OpenAI API 2.3.0. */
export const imageGenerations: PaidEndpoint<ImageBody, PreparedImages> = {
  kind: 'paid',
  name: 'images.generations',
  method: 'POST',
  docs: {
    summary: 'Create images',
    description:
      'Image URLs expire, after 24 hours unless the operator has set another time. The available sizes and qualities depend on the model.',
    answers: { 'application/json': imagesAnswer, 'text/event-stream': imageEvent },
  },
  modalities: ['image'],
  body: { kind: 'json' },
  request: imageSchema,
  parse: (body) => parseWith(imageSchema, body),
  modelOf: (body) => body.model,
  streamed: (body) => body.stream === true,
  runsOn: () => true,
  prepare: async (body, ports) => ({ body, ...prepareImages(body, 0, ports) }),
  bound: (work, _ports, price, _multiplierBp, _freeNano, overhead) => boundOf(work, price, overhead),
  text: ({ input }) => input.prompt,
  estimate: estimateOf,
  forms: [
    {
      wire: 'openai.images',
      ask: (work) => ({ json: outgoing(work) }),
      whole: (bytes, work, { at }) => readImageAnswer(bytes, work, at),
      tap: (work) => new ImageTap(work),
    },
  ],
  redact: (body) => redactMedia(body),
  keptAsItCame: true,
}
