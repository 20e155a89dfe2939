import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Form } from '../domain/form.ts'
import { TaskBatcher } from '../domain/task-batcher.ts'
import { decompress } from './decompress.ts'
import { failureOf } from './http-failure.ts'
import { multipartOf, newBoundary } from './multipart.ts'
import type { AnswerBytes, WireAnswer } from './vendor.ts'

/** If more than this waits here unread, the vendor is told to pause (backpressure). */
const MAX_BUFFERED_BYTES = 64 * 1024
/** What follows sooner than this (milliseconds) is gathered for this long, unless it is large enough to be worth handing on. */
const GATHER_MS = 1
const LARGE_BYTES = 4096

/** Where requests go: an origin, and the whole path with its query. */
export interface Target {
  origin: string
  path: string
}

/** How a call is aborted, and what is called when its request is sent. */
interface PostOptions {
  signal: AbortSignal
  onSent?: () => void
}

/** The address of a path below a base URL. */
export function targetOf(baseUrl: string, path: string): Target {
  const { origin, pathname, search } = new URL(baseUrl)
  return { origin, path: pathname.replace(/\/+$/, '') + path + search }
}

/** Posts JSON. Resolves when the status has arrived. Throws VendorFailure. */
export function postJson(
  agent: Dispatcher,
  target: Target,
  headers: Record<string, string>,
  body: string,
  { signal, onSent }: PostOptions,
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    agent.dispatch({ method: 'POST', ...target, headers, body }, new Answer(signal, resolve, reject, onSent))
  })
}

/**
 * Posts a form. Its files are read as fast as the vendor takes them. If the vendor answers before it has the whole form, its
 * answer is read and no more is sent. Resolves when the status has arrived. Throws VendorFailure.
 */
export function postForm(
  agent: Dispatcher,
  target: Target,
  headers: Record<string, string>,
  form: Form,
  { signal, onSent }: PostOptions,
): Promise<WireAnswer> {
  const { type, bytes, read } = multipartOf(form, newBoundary())
  const others = Object.entries(headers).filter(([name]) => !/^content-(type|length)$/i.test(name))
  const all = { ...Object.fromEntries(others), 'content-type': type, 'content-length': String(bytes) }
  // A stream, because undici destroys it together with its connection, which also closes an open file.
  const body = Readable.from(read(), { objectMode: false })
  return new Promise((resolve, reject) => {
    agent.dispatch({ method: 'POST', ...target, headers: all, body }, new Answer(signal, resolve, reject, onSent))
  })
}

/** What vendors have sent and what has not yet been handed on. */
const deliveries = new TaskBatcher()

/**
 * One answer, read through undici's lowest layer, because its streams and promises cost as much as all the rest of a request.
 * Reading goes at the pace of the reader. Leaving early, or the signal, ends the call.
 */
class Answer implements Dispatcher.DispatchHandler, AnswerBytes, AsyncIterator<Uint8Array> {
  readonly #signal: AbortSignal
  readonly #resolve: (answer: WireAnswer) => void
  readonly #reject: (error: unknown) => void
  readonly #onSent: (() => void) | undefined
  readonly #abort = () => this.#stop(this.#signal.reason)
  #controller: Dispatcher.DispatchController | null = null
  /** The start of the answer, until it is handed on. */
  #pendingAnswer: WireAnswer | null = null
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #gatherEnabled = false
  /** The timer until which what is here waits for what follows. */
  #gatherTimer: NodeJS.Timeout | null = null
  #lastReadMs = 0
  #ended = false
  #error: unknown = null
  #reader: { resolve(result: IteratorResult<Uint8Array>): void; reject(error: unknown): void } | null = null

  constructor(
    signal: AbortSignal,
    resolve: (answer: WireAnswer) => void,
    reject: (error: unknown) => void,
    onSent: (() => void) | undefined,
  ) {
    this.#onSent = onSent
    this.#signal = signal
    this.#resolve = resolve
    this.#reject = reject
    signal.addEventListener('abort', this.#abort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#signal.aborted) this.#abort()
    else this.#onSent?.()
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    // Informational answers (1xx) may come before the final one.
    if (status < 200) return
    this.#pendingAnswer = { k: 'wire', status, headers: flattenHeaders(headers), body: this }
    deliveries.add(this.#resolvePending)
  }

  readonly #resolvePending = (): void => {
    if (this.#pendingAnswer) this.#resolve(decompress(this.#pendingAnswer))
    this.#pendingAnswer = null
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // When reading resumes after a pause, undici may pass an empty chunk.
    if (chunk.byteLength === 0) return
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.byteLength
    if (this.#gatherTimer) return
    if (this.#gatherEnabled && chunk.byteLength < LARGE_BYTES && performance.now() - this.#lastReadMs < GATHER_MS) {
      // Nothing is read meanwhile, because otherwise each packet would still cost work.
      controller.pause()
      this.#gatherTimer = setTimeout(this.#endGathering, GATHER_MS)
      return
    }
    if (this.#waitingBytes > MAX_BUFFERED_BYTES) controller.pause()
    // What is here at the end of this turn is handed on as one piece.
    if (this.#reader && this.#waiting.length === 1) deliveries.add(this.#handOn)
  }

  gather(): void {
    this.#gatherEnabled = true
  }

  readonly #endGathering = (): void => {
    this.#gatherTimer = null
    // Everything that has come meanwhile is read first and handed on together.
    this.#lastReadMs = 0
    if (this.#controller?.paused) this.#controller.resume()
    deliveries.add(this.#handOn)
  }

  onResponseEnd(): void {
    this.#end(null)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // What it sent before it broke off still counts.
    this.#resolvePending()
    this.#reject(failureOf(error))
    this.#end(error)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#waiting.length > 0 && !this.#gatherTimer) return Promise.resolve({ value: this.#take(), done: false })
    if (this.#error !== null) return Promise.reject(this.#error as Error)
    if (this.#ended) return Promise.resolve({ value: undefined, done: true })
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
    })
  }

  readonly #handOn = (): void => {
    const reader = this.#reader
    if (reader === null || this.#gatherTimer || this.#waiting.length === 0) return
    this.#reader = null
    reader.resolve({ value: this.#take(), done: false })
  }

  #take(): Buffer {
    const [first] = this.#waiting
    const all = this.#waiting.length === 1 && first ? first : Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    this.#lastReadMs = performance.now()
    // An ended request must not be resumed: undici asserts that.
    if (!this.#ended && this.#controller?.paused) this.#controller.resume()
    return all
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    if (!this.#ended) this.#stop(new Error('the answer was left'))
    this.#waiting = []
    return Promise.resolve({ value: undefined, done: true })
  }

  #stop(reason: unknown): void {
    const error = reason instanceof Error ? reason : new Error('the call was ended')
    if (this.#controller) {
      this.#controller.abort(error)
      return
    }
    // Its connection is still being made, which may take long. Once it exists, nothing is sent.
    this.#reject(failureOf(error))
    this.#end(error)
  }

  #end(error: unknown): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#gatherTimer) clearTimeout(this.#gatherTimer)
    this.#gatherTimer = null
    this.#error = error
    this.#signal.removeEventListener('abort', this.#abort)
    // What is here is handed on first: it may be everything that was asked for.
    this.#handOn()
    const reader = this.#reader
    this.#reader = null
    if (error === null) reader?.resolve({ value: undefined, done: true })
    else reader?.reject(error)
  }
}

/** Flattens headers, whose names come in lower case. A header that came several times is joined. */
function flattenHeaders(headers: Record<string, unknown>): Record<string, string> {
  const out: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) out[name] = Array.isArray(value) ? value.join(', ') : String(value)
  }
  return out
}
