import { redactMedia } from './chat/media.ts'
import type { PaidEndpoint } from './endpoint.ts'
import { imageEvent, imagesAnswer } from './image/answer.ts'
import { type PreparedImageRequest, readImageAnswer } from './image/non-streaming.ts'
import { boundOf, estimateOf, isForwarded, overriddenFields, prepareImages } from './image/prepare.ts'
import { type ImageBody, imageSchema } from './image/schema.ts'
import { ImageTap } from './image/tap.ts'
import type { JsonObject } from './json.ts'
import { parseWith } from './schema.ts'

interface PreparedImages extends PreparedImageRequest {
  body: ImageBody
}

/** What is sent to a vendor: everything that arrived except fields that are null, with some fields in the model's own terms. */
function outgoingJson(work: PreparedImages): JsonObject {
  const forwardedFields = Object.entries(work.body).filter(([field, value]) => value !== null && isForwarded(field, work))
  return { ...Object.fromEntries(forwardedFields), ...overriddenFields(work) } as JsonObject
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
  isStreamed: (body) => body.stream === true,
  continuesAfterDisconnect: () => true,
  prepare: async (body, ports) => ({ body, ...prepareImages(body, 0, ports) }),
  bound: (work, _ports, price, _multiplierBp, _freeNano, overhead) => boundOf(work, price, overhead),
  text: ({ input }) => input.prompt,
  estimate: estimateOf,
  forms: [
    {
      wire: 'openai.images',
      ask: (work) => ({ json: outgoingJson(work) }),
      readNonStreaming: (bytes, work, { at }) => readImageAnswer(bytes, work, at),
      createTap: (work) => new ImageTap(work),
    },
  ],
  redact: (body) => redactMedia(body),
  storesBodyVerbatim: true,
}
