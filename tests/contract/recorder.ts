import type { DocumentSchema, OpenAiDocument } from '../support/openai-document.ts'

/** One request of an SDK and its answer, as bytes on the wire. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly atMs: number
  readonly body: Record<string, unknown>
  status: number
  headers: Headers
  /** The part of the answer that has been read so far. */
  text: string
  /** True once the answer was read to its end. */
  complete: boolean
}

/**
 * The schemas that answers are checked against: without those of requests, and without the list that
 * tests/integration/responses.test.ts checks.
 */
type AnswerSchema = Exclude<DocumentSchema, 'CreateResponse' | 'ResponseItemList' | `${string}Request`>

/** How many valid values of each schema were found. */
export type Validated = Record<AnswerSchema, number>

/** Sits between an SDK and the network, and records what passes. */
export class Recorder {
  readonly calls: Call[] = []
  readonly validated: Validated = {
    CreateChatCompletionResponse: 0,
    CreateChatCompletionStreamResponse: 0,
    CreateCompletionResponse: 0,
    CreateEmbeddingResponse: 0,
    ListModelsResponse: 0,
    Model: 0,
    ErrorResponse: 0,
    ImagesResponse: 0,
    ImageGenPartialImageEvent: 0,
    ImageGenCompletedEvent: 0,
    ImageEditPartialImageEvent: 0,
    ImageEditCompletedEvent: 0,
    CreateSpeechResponseStreamEvent: 0,
    CreateTranscriptionResponseJson: 0,
    CreateTranscriptionResponseVerboseJson: 0,
    CreateTranscriptionResponseStreamEvent: 0,
    CreateTranslationResponseJson: 0,
    CreateTranslationResponseVerboseJson: 0,
    Response: 0,
    ResponseStreamEvent: 0,
  }

  /** The fetch that every SDK is given. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const requestBody = typeof init?.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : {}
    const call: Call = {
      method: request.method,
      path: new URL(request.url).pathname,
      atMs: performance.now(),
      body: requestBody,
      status: 0,
      headers: new Headers(),
      text: '',
      complete: false,
    }
    this.calls.push(call)
    const answer = await fetch(input, init)
    call.status = answer.status
    call.headers = answer.headers
    if (!answer.body) return answer
    return new Response(answer.body.pipeThrough(createCopyStream(call)), answer)
  }

  /** The newest call. Throws if there was none. */
  get last(): Call {
    const call = this.calls.at(-1)
    if (!call) throw new Error('nothing was called')
    return call
  }

  clear(): void {
    this.calls.length = 0
  }

  /** Checks all answers since the last `clear`. Returns what is wrong with them. */
  findProblems(document: OpenAiDocument): string[] {
    return this.calls.flatMap((call) =>
      valuesOf(call).flatMap(([schema, value]) => {
        const found = document.findProblems(schema, value)
        if (found.length === 0) this.validated[schema]++
        return found.map(
          (problem) => `${call.method} ${call.path} ${call.status}: ${problem} in ${JSON.stringify(value).slice(0, 400)}`,
        )
      }),
    )
  }
}

function createCopyStream(call: Call): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  return new TransformStream({
    transform(bytes, controller) {
      call.text += decoder.decode(bytes, { stream: true })
      controller.enqueue(bytes)
    },
    flush() {
      call.complete = true
    },
  })
}

/** The data of every complete event in the text of a stream, `[DONE]` included. */
export function eventsOf(text: string): string[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? [])
}

function valuesOf(call: Call): [AnswerSchema, unknown][] {
  const type = call.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream') && call.path.endsWith('/responses'))
    return responseEventsIn(call.text).map((event) => ['ResponseStreamEvent', event])
  if (type.startsWith('text/event-stream'))
    return eventsOf(call.text)
      .filter((data) => data !== '[DONE]')
      .map((data) => JSON.parse(data) as Record<string, unknown>)
      .map((event) => [
        'error' in event ? 'ErrorResponse' : (ownSchema(event) ?? eventSchema(call)),
        withFinishReason(withoutDurationUsage(event)),
      ])
  // Sounds and plain texts have no schema.
  if (!call.complete || !type.startsWith('application/json')) return []
  const value = JSON.parse(call.text) as unknown
  if (call.status >= 400) return [['ErrorResponse', value]]
  if (call.path.endsWith('/embeddings')) return [['CreateEmbeddingResponse', decodeEmbeddings(value)]]
  if (call.path.endsWith('/v1/completions')) return [['CreateCompletionResponse', value]]
  if (call.path.endsWith('/chat/completions')) return [['CreateChatCompletionResponse', value]]
  if (call.path.includes('/images/')) return [['ImagesResponse', value]]
  if (call.path.endsWith('/audio/transcriptions'))
    return [
      ['segments' in (value as object) ? 'CreateTranscriptionResponseVerboseJson' : 'CreateTranscriptionResponseJson', value],
    ]
  if (call.path.endsWith('/audio/translations'))
    return [['segments' in (value as object) ? 'CreateTranslationResponseVerboseJson' : 'CreateTranslationResponseJson', value]]
  if (/\/responses(\/[^/]+)?$/.test(call.path))
    return call.method === 'DELETE' ? [] : [['Response', toDocumentedResponse(value as object)]]
  if (call.path.includes('/responses/')) return []
  if (call.path.endsWith('/models')) return [['ListModelsResponse', value], ...modelsIn(value)]
  return [['Model', value]]
}

/** Events of images name their own type, and so do events of sounds. */
const IMAGE_EVENTS: Readonly<Record<string, AnswerSchema>> = {
  'image_generation.partial_image': 'ImageGenPartialImageEvent',
  'image_generation.completed': 'ImageGenCompletedEvent',
  'image_edit.partial_image': 'ImageEditPartialImageEvent',
  'image_edit.completed': 'ImageEditCompletedEvent',
}

/**
 * Removes usage in seconds from an event. OpenAI streams no model that is billed by the second, so its document has no such
 * usage.
 */
function withoutDurationUsage(event: Record<string, unknown>): Record<string, unknown> {
  const { usage, ...rest } = event
  return (usage as { type?: unknown } | null | undefined)?.type === 'duration' ? rest : event
}

function ownSchema({ type }: Record<string, unknown>): AnswerSchema | null {
  if (String(type).startsWith('speech.')) return 'CreateSpeechResponseStreamEvent'
  if (String(type).startsWith('transcript.')) return 'CreateTranscriptionResponseStreamEvent'
  return IMAGE_EVENTS[String(type)] ?? null
}

const responseEventsIn = (text: string): unknown[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => {
    const event = JSON.parse(data ?? '') as { response?: object }
    return event.response ? { ...event, response: toDocumentedResponse(event.response) } : event
  })

/**
 * Adapts a response to OpenAI's document, which does not know two values that OpenAI itself sends and Open Responses requires: a
 * null usage while the response is in progress, and a null description of a format.
 */
function toDocumentedResponse(response: { usage?: unknown; text?: { format?: { description?: unknown } } }): object {
  const { usage, ...rest } = response
  const { description, ...format } = response.text?.format ?? {}
  return {
    ...rest,
    ...(usage === null ? {} : { usage }),
    text: { ...response.text, format: description === null ? format : response.text?.format },
  }
}

const eventSchema = ({ path }: Call) =>
  path.endsWith('/v1/completions') ? 'CreateCompletionResponse' : 'CreateChatCompletionStreamResponse'

/**
 * Gives the choices of a legacy completion's event a finish reason. The document has one shape for whole completions and their
 * chunks, in which it is required. OpenAI's own chunks have null until the choice ends.
 */
function withFinishReason(event: Record<string, unknown>): unknown {
  if (event.object !== 'text_completion') return event
  const choices = event.choices as { finish_reason: string | null }[]
  return { ...event, choices: choices.map((choice) => ({ ...choice, finish_reason: choice.finish_reason ?? 'stop' })) }
}

/** Decodes base64 vectors, because the document knows vectors only as lists of numbers. */
function decodeEmbeddings(value: unknown): unknown {
  const { data, ...rest } = value as { data: { embedding: string | number[] }[] }
  const floats = (text: string) => [...new Float32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer)]
  const decoded = data.map((item) => ({
    ...item,
    embedding: typeof item.embedding === 'string' ? floats(item.embedding) : item.embedding,
  }))
  return { ...rest, data: decoded }
}

const modelsIn = (list: unknown): [AnswerSchema, unknown][] => (list as { data: unknown[] }).data.map((model) => ['Model', model])
