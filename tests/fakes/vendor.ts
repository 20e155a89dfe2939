import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'

export interface Call {
  path: string
  headers: IncomingMessage['headers']
  /** The JSON that arrived. Empty if it was a form. */
  body: Record<string, unknown>
  /** The form that arrived, as undici parses it. Null if it was JSON. */
  form: FormData | null
  request: IncomingMessage
  response: ServerResponse
  /** Resolves when the other side has closed the connection before the answer ended. */
  disconnected: Promise<void>
}

/** A vendor on a real socket that answers as told. */
export interface FakeVendor extends AsyncDisposable {
  /** With `/v1`, as a connection's base URL. */
  readonly url: string
  readonly calls: Call[]
  /** The calls that send something. Upkeep asks some vendors for their balance, with GET, whenever its minute is over. */
  readonly posts: Call[]
  /** Sets the answer to the next calls. */
  answer(handler: (call: Call) => void | Promise<void>): void
}

/** Starts a vendor. By default it answers `chatAnswer('ok')`. */
export async function startFakeVendor(port = 0): Promise<FakeVendor> {
  let handler: (call: Call) => void | Promise<void> = (call) => sendJson(call, chatAnswer('ok'))
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const type = request.headers['content-type'] ?? ''
    const form = type.startsWith('multipart/')
      ? await new Response(bytes, { headers: { 'content-type': type } }).formData()
      : null
    const text = form ? '' : bytes.toString('utf8')
    const disconnected = new Promise<void>((resolve) =>
      response.once('close', () => (response.writableFinished ? undefined : resolve())),
    )
    const call = {
      path: request.url ?? '',
      headers: request.headers,
      body: bodyOf(text, type),
      form,
      request,
      response,
      disconnected,
    }
    calls.push(call)
    await handler(call)
  })
  const { origin, close } = await listen(server, port)
  return {
    url: `${origin}/v1`,
    calls,
    get posts() {
      return calls.filter((call) => call.request.method === 'POST')
    },
    answer(next) {
      handler = next
    },
    [Symbol.asyncDispose]: close,
  }
}

/** The body that arrived: JSON, or the fields of a form on one line. Bytes of other types are not parsed. */
function bodyOf(text: string, type: string): Record<string, unknown> {
  if (/^(audio\/|application\/octet-stream)/.test(type)) return {}
  if (type.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text))
  return text === '' ? {} : JSON.parse(text)
}

export const usageOf = (prompt: number, completion: number, more: object = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...more,
})

/** A whole chat answer. `usage: null` omits it. */
export const chatAnswer = (content: string, usage: object | null = usageOf(10, 5)) => ({
  id: 'chatcmpl-fake',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'upstream-model',
  choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' }],
  ...(usage === null ? {} : { usage }),
})

/** A chunk of a streamed chat answer. */
export const chatChunk = (content: string | null, finish: string | null = null, more: object = {}) => ({
  id: 'chatcmpl-fake',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'upstream-model',
  choices: [{ index: 0, delta: content === null ? {} : { content }, logprobs: null, finish_reason: finish }],
  ...more,
})

/** The chunk with usage and without choices. */
export const usageChunk = (usage: object) => ({ ...chatChunk(null), choices: [], usage })

export function sendJson({ response }: Call, body: object, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** Makes calls wait for their answer until the returned function is called. */
export function holdAnswers(
  vendor: FakeVendor,
  answer: (call: Call) => void = (call) => sendJson(call, chatAnswer('x')),
): () => void {
  const gate = Promise.withResolvers<void>()
  vendor.answer(async (call) => {
    await gate.promise
    answer(call)
  })
  return gate.resolve
}

export function startStream({ response }: Call): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
}

export function sendEvent({ response }: Call, data: object | string): void {
  response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
}

/** Sends a whole stream: its pieces, the usage if given, and the end. */
export function sendStream(call: Call, pieces: string[], usage: object | null = usageOf(10, pieces.length)): void {
  startStream(call)
  for (const piece of pieces) sendEvent(call, chatChunk(piece))
  sendEvent(call, chatChunk(null, 'stop'))
  if (usage !== null) sendEvent(call, usageChunk(usage))
  sendEvent(call, '[DONE]')
  call.response.end()
}
