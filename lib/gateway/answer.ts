import type { MaybePromise } from '../domain/maybe-promise.ts'

/** What the gateway reads from a request. The web's own `Request` is one; a host may have a faster one. */
export interface IncomingRequest {
  readonly method: string
  readonly url: string
  readonly headers: { get(name: string): string | null }
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** The same, if the host knows it without creating a signal. */
  readonly disconnected?: boolean
  readonly body: ReadableStream<Uint8Array> | null
  /** The whole body, at once if the host has all of it. */
  bytes(): MaybePromise<Uint8Array>
  /** The body piece by piece, if the host has a faster way than web streams. It is read as fast as pieces are asked for. */
  pieces?(): NextPiece
}

/** The next piece of a body; null at its end. Rejects if the body breaks off. */
export type NextPiece = () => Promise<Uint8Array | null>

/** Whether the client has disconnected, in the fastest way that the host has. */
export const isDisconnected = (request: IncomingRequest): boolean => request.disconnected ?? request.signal.aborted

/** A request's body, piece by piece, in the fastest way that the host has. */
export function piecesOf(request: IncomingRequest): NextPiece {
  if (request.pieces) return request.pieces()
  const reader = request.body?.getReader()
  return async () => (await reader?.read())?.value ?? null
}

/** A body that is sent piece by piece, as fast as it is asked for. */
export interface AnswerStream {
  /** The next piece; an empty one if nothing follows. */
  next(): Promise<Uint8Array>
  /** True once the last piece has been returned. */
  readonly ended: boolean
  /** Called when nobody will ask for more. */
  cancel(): void
  /**
   * Called when the connection has to be closed: the reader has taken nothing for too long, or there is no other way to
   * signal that the stream broke off.
   */
  closeConnection: (() => void) | null
  /** Called with bytes to send while the next piece is awaited. A host sets it for streams that have it. */
  sendNow?: ((bytes: Uint8Array) => void) | null
}

/** An answer before a host sends it. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array | AnswerStream | null
}

const isStream = (body: Answer['body']): body is AnswerStream => body !== null && typeof body === 'object' && 'cancel' in body

/** Converts an answer to the web's `Response`, for hosts that know nothing else. */
export function toResponse({ status, headers, body }: Answer): Response {
  return new Response((isStream(body) ? toWebStream(body) : body) as BodyInit | null, { status, headers })
}

function toWebStream(stream: AnswerStream): ReadableStream<Uint8Array> {
  let aborted = false
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stream.closeConnection = () => {
          aborted = true
          controller.error(new Error('A stream was broken off.'))
        }
        stream.sendNow = (bytes) => controller.enqueue(bytes)
      },
      async pull(controller) {
        const bytes = await stream.next()
        if (aborted) return
        if (bytes.byteLength > 0) controller.enqueue(bytes)
        if (stream.ended) controller.close()
      },
      cancel: () => stream.cancel(),
    },
    { highWaterMark: 0 },
  )
}
