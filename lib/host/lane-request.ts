import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import { TaskBatcher } from '../domain/task-batcher.ts'
import type { IncomingRequest, NextPiece } from '../gateway/answer.ts'

/** The start of a request target in absolute form (RFC 9112, section 3.2.2). */
export const ORIGIN_PATTERN = /^https?:\/\/[^/?#]*/i

const EMPTY = new Uint8Array(0)

/** Bodies that arrived after their headers and are complete. */
const bodyBatcher = new TaskBatcher()

/**
 * A request of Node's server in the form that the gateway reads. Building a web Request costs as much as all the rest of a
 * request, so each part of it is computed here only when it is needed.
 */
export class LaneRequest implements IncomingRequest {
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  #controller: AbortController | null = null

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.#incoming = incoming
    this.#outgoing = outgoing
  }

  get method(): string {
    return this.#incoming.method ?? 'GET'
  }

  /** Uses only the path of the request target: a host that the client names is not trusted. */
  get url(): string {
    const target = (this.#incoming.url ?? '/').replace(ORIGIN_PATTERN, '')
    return `http://localhost${target.startsWith('/') ? '' : '/'}${target}`
  }

  get headers(): { get(name: string): string | null } {
    return this
  }

  get(name: string): string | null {
    const value = this.#incoming.headers[name]
    return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value
  }

  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal
    const controller = new AbortController()
    this.#controller = controller
    const outgoing = this.#outgoing
    if (outgoing.destroyed) controller.abort()
    else
      outgoing.once('close', () => {
        if (!outgoing.writableFinished) controller.abort()
      })
    return controller.signal
  }

  get disconnected(): boolean {
    return this.#outgoing.destroyed && !this.#outgoing.writableFinished
  }

  get body(): ReadableStream<Uint8Array> {
    return Readable.toWeb(this.#startReading()) as ReadableStream<Uint8Array>
  }

  pieces(): NextPiece {
    return readPieces(this.#startReading())
  }

  /**
   * The request, ready to be read. A client that sent `Expect: 100-continue` is told to send its body only now, after its key was
   * checked.
   */
  #startReading(): IncomingMessage {
    if (this.#incoming.headers.expect !== undefined && !this.#outgoing.headersSent) this.#outgoing.writeContinue()
    return this.#incoming
  }

  bytes(): MaybePromise<Uint8Array> {
    // A complete body can be read without waiting for events.
    if (this.#incoming.complete && !this.#incoming.destroyed) return (this.#incoming.read() as Buffer | null) ?? EMPTY
    const incoming = this.#startReading()
    return new Promise((resolve, reject) => {
      const onClose = () => reject(new Error('the connection was closed'))
      // The client disconnected before anybody read: no more events follow, and what it sent is lost.
      if (incoming.destroyed) onClose()
      const pieces: Buffer[] = []
      incoming.on('data', (piece: Buffer) => pieces.push(piece))
      // A complete body that was not read before the client disconnected is lost, too.
      incoming.on('close', onClose)
      incoming.on('error', reject)
      incoming.on('end', () => {
        // Every request emits 'close' after its end, and creating an error is expensive.
        incoming.off('close', onClose)
        bodyBatcher.add(() => resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)))
      })
    })
  }
}

/** If more than this many bytes wait to be read, the sender is told to pause. */
const MAX_WAITING_BYTES = 256 * 1024

/** Reads a body piece by piece, without the copies and promises of web streams. */
function readPieces(incoming: IncomingMessage): NextPiece {
  const buffered: Buffer[] = []
  let bytes = 0
  let end: { error: Error | null } | null = incoming.destroyed ? { error: new Error('the connection was closed') } : null
  let reader: { resolve(piece: Uint8Array | null): void; reject(error: Error): void } | null = null
  const finish = (error: Error | null) => {
    incoming.off('close', onClose)
    end ??= { error }
    const pending = reader
    reader = null
    if (end.error) pending?.reject(end.error)
    else pending?.resolve(null)
  }
  const onClose = () => finish(new Error('the connection was closed'))
  incoming.on('data', (piece: Buffer) => {
    const pending = reader
    reader = null
    if (pending) {
      pending.resolve(piece)
      return
    }
    buffered.push(piece)
    bytes += piece.byteLength
    if (bytes > MAX_WAITING_BYTES) incoming.pause()
  })
  incoming.on('end', () => finish(null))
  incoming.on('error', finish)
  incoming.on('close', onClose)
  return () => {
    const piece = buffered.shift()
    if (piece) {
      bytes -= piece.byteLength
      if (bytes <= MAX_WAITING_BYTES && incoming.isPaused()) incoming.resume()
      return Promise.resolve(piece)
    }
    if (end) return end.error ? Promise.reject(end.error) : Promise.resolve(null)
    return new Promise((resolve, reject) => {
      reader = { resolve, reject }
    })
  }
}
