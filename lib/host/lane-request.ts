import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { IncomingRequest } from '../gateway/answer.ts'

/** What a target begins with that is a whole address (RFC 9112, section 3.2.2). */
export const ORIGIN = /^https?:\/\/[^/?#]*/i

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

  get body(): ReadableStream<Uint8Array> {
    return Readable.toWeb(this.#incoming) as ReadableStream<Uint8Array>
  }

  bytes(): Promise<Uint8Array> {
    const incoming = this.#incoming
    return new Promise((resolve, reject) => {
      const gone = () => reject(new Error('the connection was closed'))
      // Its client left before anybody read: no event will say so any more, and what it sent is gone.
      if (incoming.destroyed) gone()
      const pieces: Buffer[] = []
      incoming.on('data', (piece: Buffer) => pieces.push(piece))
      incoming.on('end', () => resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)))
      incoming.on('error', reject)
      // What came whole, and was not read when its client left, is lost too.
      incoming.on('close', gone)
    })
  }
}
