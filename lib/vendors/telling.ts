import type { Dispatcher } from 'undici'

type Handler = Dispatcher.DispatchHandler

/** Passes on the events of a request, and reports when the request is sent. */
class Telling implements Handler {
  readonly #handler: Handler
  readonly #sending: () => void

  constructor(handler: Handler, sending: () => void) {
    this.#handler = handler
    this.#sending = sending
  }

  onRequestStart(...told: Parameters<NonNullable<Handler['onRequestStart']>>): void {
    this.#handler.onRequestStart?.(...told)
    // The caller may have left by now.
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

/** A connection's dispatcher for one call: `sending` is called when the request has a connection and is sent. */
export const telling = (agent: Dispatcher, sending: () => void): Dispatcher =>
  agent.compose((dispatch) => (options, handler) => dispatch(options, new Telling(handler, sending)))
