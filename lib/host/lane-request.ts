import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { IncomingRequest } from '../gateway/answer.ts'

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
    const target = this.#incoming.url ?? '/'
    return target.startsWith('/') ? `http://localhost${target}` : target
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
      const pieces: Buffer[] = []
      incoming.on('data', (piece: Buffer) => pieces.push(piece))
      incoming.on('end', () => resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)))
      incoming.on('error', reject)
      incoming.on('close', () => {
        if (!incoming.complete) reject(new Error('the connection was closed'))
      })
    })
  }
}
