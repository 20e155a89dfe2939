import { refuseField } from '../domain/errors.ts'
import { type Form, type FormPart, filesOf, stripArraySuffix, type Upload } from '../domain/form.ts'
import { redactMedia } from './chat/media.ts'
import type { PaidEndpoint, PreparePorts } from './endpoint.ts'
import { parseFormFields, withLowercaseSwitches, withoutEmptyFields } from './form-fields.ts'
import { imageEvent, imagesAnswer } from './image/answer.ts'
import { type PreparedImageRequest, readImageAnswer } from './image/non-streaming.ts'
import { boundOf, checkSupportsEdits, estimateOf, isForwarded, overriddenFields, prepareImages } from './image/prepare.ts'
import { type ImageEditBody, imageEditSchema } from './image/schema.ts'
import { ImageTap } from './image/tap.ts'
import type { JsonObject } from './json.ts'
import { mediaNote } from './media-note.ts'
import { parseWith } from './schema.ts'

const MAX_IMAGES = 16
const MIB = 1024 * 1024

/** A request to edit images. */
interface EditInput {
  body: ImageEditBody
  form: Form
  images: readonly Upload[]
  mask: Upload | null
}

interface PreparedEdit extends PreparedImageRequest {
  form: Form
}

const FIELD_KINDS = { numbers: ['n', 'output_compression', 'partial_images'], switches: ['stream'] }

function parse(received: Form): EditInput {
  const form = withLowercaseSwitches(withoutEmptyFields(received), FIELD_KINDS)
  const body = parseWith(imageEditSchema, parseFormFields(form, FIELD_KINDS))
  const images = filesOf(form, 'image')
  if (images.length === 0) throw refuseField('image', 'The form has no file "image". Send the image to edit as one.')
  return { body, form, images, mask: filesOf(form, 'mask')[0] ?? null }
}

async function prepare({ body, form, images, mask }: EditInput, ports: PreparePorts): Promise<PreparedEdit> {
  const { model } = ports
  checkSupportsEdits(model)
  const maxImages = model.facts.inputs ?? MAX_IMAGES
  if (images.length > maxImages)
    throw refuseField('image', `This model edits at most ${maxImages} at once; the form has ${images.length}. Send fewer.`)
  return { form, ...prepareImages(body, images.length + (mask ? 1 : 0), ports) }
}

/** What is sent to a vendor: everything that arrived, except the fields that are written in the model's own terms. */
function outgoingForm(work: PreparedEdit): Form {
  const overriddenParts = Object.entries(overriddenFields(work)).map(
    ([name, value]): FormPart => ({ name, value: String(value) }),
  )
  const own = new Set(overriddenParts.map(({ name }) => name))
  const forwardedParts = work.form.parts.filter(
    ({ name }) => !own.has(stripArraySuffix(name)) && isForwarded(stripArraySuffix(name), work),
  )
  return { parts: [...overriddenParts, ...forwardedParts] }
}

const noteOf = ({ filename, type, bytes, sha256 }: Upload): string => `${filename} ${mediaNote(type, bytes, sha256)}`

/** POST /v1/images/edits. Specification 4.5; OpenAI API 2.3.0. */
export const imageEdits: PaidEndpoint<EditInput, PreparedEdit> = {
  kind: 'paid',
  name: 'images.edits',
  method: 'POST',
  docs: {
    summary: 'Edit images',
    description:
      'Takes one or more images, and a mask whose transparent areas mark where to edit. Send them as files in a form or as `data:` URLs in JSON. The response is the same as for generations.',
    answers: { 'application/json': imagesAnswer, 'text/event-stream': imageEvent },
  },
  modalities: ['image'],
  body: {
    kind: 'form',
    files: {
      image: { maxCount: MAX_IMAGES, minCount: 1, maxBytes: 50 * MIB, types: ['image/png', 'image/jpeg', 'image/webp'] },
      mask: { maxCount: 1, maxBytes: 4 * MIB, types: ['image/png'] },
    },
    jsonFields: { image: 'images', mask: 'mask' },
  },
  request: imageEditSchema,
  parse: (form) => parse(form as Form),
  modelOf: ({ body }) => body.model,
  isStreamed: ({ body }) => body.stream === true,
  continuesAfterDisconnect: () => true,
  prepare,
  bound: (work, _ports, price, _multiplierBp, _freeNano, overhead) => boundOf(work, price, overhead),
  text: ({ input }) => input.prompt,
  estimate: estimateOf,
  forms: [
    {
      wire: 'openai.image-edits',
      ask: (work) => ({ form: outgoingForm(work) }),
      readNonStreaming: (bytes, work, { at }) => readImageAnswer(bytes, work, at),
      createTap: (work) => new ImageTap(work),
    },
  ],
  redact: ({ body, images, mask }): JsonObject => ({
    ...(redactMedia(body) as JsonObject),
    image: images.map(noteOf),
    ...(mask ? { mask: noteOf(mask) } : {}),
  }),
}
