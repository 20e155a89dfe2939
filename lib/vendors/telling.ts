import type { Dispatcher } from 'undici'

type Handler = Dispatcher.DispatchHandler

/** Passes on what becomes of a request, and tells when it leaves. */
class Telling implements Handler {
  readonly #handler: Handler
  readonly #sending: () => void

  constructor(handler: Handler, sending: () => void) {
    this.#handler = handler
    this.#sending = sending
  }

  onRequestStart(...told: Parameters<NonNullable<Handler['onRequestStart']>>): void {
    this.#handler.onRequestStart?.(...told)
    // Who asked may have left by now.
    if (!told[0].aborted) this.#sending()
  }

  onRequestUpgrade(...told: Parameters<NonNullable<Handler['onRequestUpgrade']>>): void {
    this.#handler.onRequestUpgrade?.(...told)
  }

  onResponseStart(...told: Parameters<NonNullable<Handler['onResponseStart']>>): void {
    this.#handler.onResponseStart?.(...told)
  }

  onResponseData(...told: Parameters<NonNullable<Handler['onResponseData']>>): void {
    this.#handler.onResponseData?.(...told)
  }

  onResponseEnd(...told: Parameters<NonNullable<Handler['onResponseEnd']>>): void {
    this.#handler.onResponseEnd?.(...told)
  }

  onResponseError(...told: Parameters<NonNullable<Handler['onResponseError']>>): void {
    this.#handler.onResponseError?.(...told)
  }
}

/** The sockets of a connection for one call: `sending` is told when its request has a connection, and leaves. */
export const telling = (agent: Dispatcher, sending: () => void): Dispatcher =>
  agent.compose((dispatch) => (options, handler) => dispatch(options, new Telling(handler, sending)))
