import type { DocumentSchema, OpenAiDocument } from '../support/openai-document.ts'

/** One request of an SDK and what came back, as bytes on the wire. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly atMs: number
  readonly body: Record<string, unknown>
  status: number
  headers: Headers
  /** What has been read of the answer so far. */
  text: string
  /** True once the answer was read to its end. */
  whole: boolean
}

/** How many values of each schema were found good. */
export type Validated = Record<DocumentSchema, number>

/** Stands between an SDK and the network, and keeps what passes. */
export class Recorder {
  readonly calls: Call[] = []
  readonly validated: Validated = {
    CreateChatCompletionResponse: 0,
    CreateChatCompletionStreamResponse: 0,
    ListModelsResponse: 0,
    Model: 0,
    ErrorResponse: 0,
  }

  /** Given to every SDK as its fetch. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const sent = typeof init?.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : {}
    const call: Call = {
      method: request.method,
      path: new URL(request.url).pathname,
      atMs: performance.now(),
      body: sent,
      status: 0,
      headers: new Headers(),
      text: '',
      whole: false,
    }
    this.calls.push(call)
    const answer = await fetch(input, init)
    call.status = answer.status
    call.headers = answer.headers
    if (!answer.body) return answer
    return new Response(answer.body.pipeThrough(copyingTo(call)), answer)
  }

  /** The newest call. Throws where there was none. */
  get last(): Call {
    const call = this.calls.at(-1)
    if (!call) throw new Error('nothing was called')
    return call
  }

  forget(): void {
    this.calls.length = 0
  }

  /** Checks everything that was answered since the last `forget`, and says what is wrong with it. */
  problems(document: OpenAiDocument): string[] {
    return this.calls.flatMap((call) =>
      valuesOf(call).flatMap(([schema, value]) => {
        const found = document.problems(schema, value)
        if (found.length === 0) this.validated[schema]++
        return found.map(
          (problem) => `${call.method} ${call.path} ${call.status}: ${problem} in ${JSON.stringify(value).slice(0, 400)}`,
        )
      }),
    )
  }
}

function copyingTo(call: Call): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  return new TransformStream({
    transform(bytes, controller) {
      call.text += decoder.decode(bytes, { stream: true })
      controller.enqueue(bytes)
    },
    flush() {
      call.whole = true
    },
  })
}

/** The data of every whole event in the text of a stream, `[DONE]` included. */
export function eventsOf(text: string): string[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
}

function valuesOf(call: Call): [DocumentSchema, unknown][] {
  const type = call.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream'))
    return eventsOf(call.text)
      .filter((data) => data !== '[DONE]')
      .map((data) => JSON.parse(data) as Record<string, unknown>)
      .map((event) => ['error' in event ? 'ErrorResponse' : 'CreateChatCompletionStreamResponse', event])
  if (!call.whole) return []
  const value = JSON.parse(call.text) as unknown
  if (call.status >= 400) return [['ErrorResponse', value]]
  if (call.path.endsWith('/chat/completions')) return [['CreateChatCompletionResponse', value]]
  if (call.path.endsWith('/models')) return [['ListModelsResponse', value], ...modelsIn(value)]
  return [['Model', value]]
}

const modelsIn = (list: unknown): [DocumentSchema, unknown][] =>
  (list as { data: unknown[] }).data.map((model) => ['Model', model])
