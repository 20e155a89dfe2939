import type { MaybePromise } from '../domain/maybe-promise.ts'
import { type IncomingRequest, isDisconnected, type NextPiece, piecesOf } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { InterruptibleWait } from './interruptible-wait.ts'
import { refuseStoppedUpload } from './refuse-stopped.ts'

/** A request whose body is not waited for any longer once `wait` is interrupted. */
class StoppableRequest implements IncomingRequest {
  readonly #request: IncomingRequest
  readonly #wait: InterruptibleWait

  constructor(request: IncomingRequest, wait: InterruptibleWait) {
    this.#request = request
    this.#wait = wait
  }

  get method(): string {
    return this.#request.method
  }

  get url(): string {
    return this.#request.url
  }

  get headers(): IncomingRequest['headers'] {
    return this.#request.headers
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  get disconnected(): boolean {
    return isDisconnected(this.#request)
  }

  get body(): IncomingRequest['body'] {
    return this.#request.body
  }

  bytes(): MaybePromise<Uint8Array> {
    const reading = this.#request.bytes()
    return reading instanceof Promise ? this.#wait.waitFor(reading) : reading
  }

  pieces(): NextPiece {
    const next = piecesOf(this.#request)
    return () => this.#wait.waitFor(next())
  }
}

/** Reads the body of a request. Throws 503 if the process has no time to wait for the rest of it. */
export async function readStoppable<T>(exchange: Exchange, read: (request: IncomingRequest) => Promise<T>): Promise<T> {
  const wait = new InterruptibleWait()
  const stop = () => wait.interrupt(refuseStoppedUpload())
  exchange.onStop = stop
  if (exchange.stopped) stop()
  try {
    return await read(new StoppableRequest(exchange.received.request, wait))
  } finally {
    exchange.onStop = null
  }
}
