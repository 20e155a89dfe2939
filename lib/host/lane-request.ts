import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Soon } from '../domain/soon.ts'
import { Together } from '../domain/together.ts'
import type { IncomingRequest, NextPiece } from '../gateway/answer.ts'

/** What a target begins with that is a whole address (RFC 9112, section 3.2.2). */
export const ORIGIN = /^https?:\/\/[^/?#]*/i

const NOTHING = new Uint8Array(0)

/** Bodies that came later than their headers, and are here. */
const late = new Together()

/**
 * A request of Node's server as the gateway reads it. The web's own Request costs as much to make as the rest of a
 * request's way; what it would take is taken here only when it is asked for.
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

  /** Only the path is the client's: what it says of hosts is not believed. */
  get url(): string {
    const target = (this.#incoming.url ?? '/').replace(ORIGIN, '')
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

  get left(): boolean {
    return this.#outgoing.destroyed && !this.#outgoing.writableFinished
  }

  get body(): ReadableStream<Uint8Array> {
    return Readable.toWeb(this.#wanted()) as ReadableStream<Uint8Array>
  }

  pieces(): NextPiece {
    return piecesIn(this.#wanted())
  }

  /** Who asks before it sends a body (`Expect: 100-continue`) is told to when the body is wanted: not before its key is known. */
  #wanted(): IncomingMessage {
    if (this.#incoming.headers.expect !== undefined && !this.#outgoing.headersSent) this.#outgoing.writeContinue()
    return this.#incoming
  }

  bytes(): Soon<Uint8Array> {
    // What is here needs no events to be read.
    if (this.#incoming.complete && !this.#incoming.destroyed) return (this.#incoming.read() as Buffer | null) ?? NOTHING
    const incoming = this.#wanted()
    return new Promise((resolve, reject) => {
      const gone = () => reject(new Error('the connection was closed'))
      // Its client left before anybody read: no event will say so any more, and what it sent is gone.
      if (incoming.destroyed) gone()
      const pieces: Buffer[] = []
      incoming.on('data', (piece: Buffer) => pieces.push(piece))
      // What came whole, and was not read when its client left, is lost too.
      incoming.on('close', gone)
      incoming.on('error', reject)
      incoming.on('end', () => {
        // Every request closes after its end, and an error is dear to make.
        incoming.off('close', gone)
        late.add(() => resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)))
      })
    })
  }
}

/** More than this waits unread: then the sender is told to pause. */
const MOST_WAITING_BYTES = 256 * 1024

/** A body as it comes, without the copies and the promises of the web's streams. */
function piecesIn(incoming: IncomingMessage): NextPiece {
  const waiting: Buffer[] = []
  let bytes = 0
  let end: { error: Error | null } | null = incoming.destroyed ? { error: new Error('the connection was closed') } : null
  let reader: { resolve(piece: Uint8Array | null): void; reject(error: Error): void } | null = null
  const ends = (error: Error | null) => {
    incoming.off('close', closed)
    end ??= { error }
    const asked = reader
    reader = null
    if (end.error) asked?.reject(end.error)
    else asked?.resolve(null)
  }
  const closed = () => ends(new Error('the connection was closed'))
  incoming.on('data', (piece: Buffer) => {
    const asked = reader
    reader = null
    if (asked) {
      asked.resolve(piece)
      return
    }
    waiting.push(piece)
    bytes += piece.byteLength
    if (bytes > MOST_WAITING_BYTES) incoming.pause()
  })
  incoming.on('end', () => ends(null))
  incoming.on('error', ends)
  incoming.on('close', closed)
  return () => {
    const piece = waiting.shift()
    if (piece) {
      bytes -= piece.byteLength
      if (bytes <= MOST_WAITING_BYTES && incoming.isPaused()) incoming.resume()
      return Promise.resolve(piece)
    }
    if (end) return end.error ? Promise.reject(end.error) : Promise.resolve(null)
    return new Promise((resolve, reject) => {
      reader = { resolve, reject }
    })
  }
}
