import type { Soon } from '../domain/soon.ts'

/** What the gateway reads of a request. The web's own `Request` is one; a host may have a quicker one. */
export interface IncomingRequest {
  readonly method: string
  readonly url: string
  readonly headers: { get(name: string): string | null }
  /** Aborted when the client has left. */
  readonly signal: AbortSignal
  /** The same, where the host knows it without making a signal. */
  readonly left?: boolean
  readonly body: ReadableStream<Uint8Array> | null
  /** The whole body, at once where its host has all of it. */
  bytes(): Soon<Uint8Array>
  /** The body piece by piece, where the host has a quicker way than the web's streams. It comes as fast as it is asked for. */
  pieces?(): NextPiece
}

/** The next piece of a body; null at its end. Rejects where it breaks off. */
export type NextPiece = () => Promise<Uint8Array | null>

/** Whether the client has left, told in the quickest way that its host has. */
export const hasLeft = (request: IncomingRequest): boolean => request.left ?? request.signal.aborted

/** A request's body, piece by piece, in the quickest way that its host has. */
export function piecesOf(request: IncomingRequest): NextPiece {
  if (request.pieces) return request.pieces()
  const reader = request.body?.getReader()
  return async () => (await reader?.read())?.value ?? null
}

/** A body that comes piece by piece, as fast as it is asked for. */
export interface AnswerStream {
  /** The next piece; an empty one where nothing follows. */
  next(): Promise<Uint8Array>
  /** True once the last piece was given. */
  readonly over: boolean
  /** Nobody will ask for more. */
  leave(): void
  /** Called when its connection has to be ended: who reads has taken nothing for too long, or there is no other way to say that it broke off. */
  lost: (() => void) | null
  /** Called with what goes out while the next piece is waited for. A host sets it for streams that have it. */
  say?: ((bytes: Uint8Array) => void) | null
}

/** An answer before a host has put it on its wire. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array | AnswerStream | null
}

const isStream = (body: Answer['body']): body is AnswerStream => body !== null && typeof body === 'object' && 'leave' in body

/** The web's own form of an answer, for hosts that know no other. */
export function toResponse({ status, headers, body }: Answer): Response {
  return new Response((isStream(body) ? toWebStream(body) : body) as BodyInit | null, { status, headers })
}

function toWebStream(stream: AnswerStream): ReadableStream<Uint8Array> {
  let lost = false
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stream.lost = () => {
          lost = true
          controller.error(new Error('A stream was broken off.'))
        }
        stream.say = (bytes) => controller.enqueue(bytes)
      },
      async pull(controller) {
        const bytes = await stream.next()
        if (lost) return
        if (bytes.byteLength > 0) controller.enqueue(bytes)
        if (stream.over) controller.close()
      },
      cancel: () => stream.leave(),
    },
    { highWaterMark: 0 },
  )
}
