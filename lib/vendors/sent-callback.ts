import type { Dispatcher } from 'undici'

type Handler = Dispatcher.DispatchHandler

/** Passes on the events of a request, and reports when the request is sent. */
class SentReportingHandler implements Handler {
  readonly #handler: Handler
  readonly #onSent: () => void

  constructor(handler: Handler, onSent: () => void) {
    this.#handler = handler
    this.#onSent = onSent
  }

  onRequestStart(...args: Parameters<NonNullable<Handler['onRequestStart']>>): void {
    this.#handler.onRequestStart?.(...args)
    // The caller may have left by now.
    if (!args[0].aborted) this.#onSent()
  }

  onRequestUpgrade(...args: Parameters<NonNullable<Handler['onRequestUpgrade']>>): void {
    this.#handler.onRequestUpgrade?.(...args)
  }

  onResponseStart(...args: Parameters<NonNullable<Handler['onResponseStart']>>): void {
    this.#handler.onResponseStart?.(...args)
  }

  onResponseData(...args: Parameters<NonNullable<Handler['onResponseData']>>): void {
    this.#handler.onResponseData?.(...args)
  }

  onResponseEnd(...args: Parameters<NonNullable<Handler['onResponseEnd']>>): void {
    this.#handler.onResponseEnd?.(...args)
  }

  onResponseError(...args: Parameters<NonNullable<Handler['onResponseError']>>): void {
    this.#handler.onResponseError?.(...args)
  }
}

/** A connection's dispatcher for one call: `onSent` is called when the request has a connection and is sent. */
export const withSentCallback = (agent: Dispatcher, onSent: () => void): Dispatcher =>
  agent.compose((dispatch) => (options, handler) => dispatch(options, new SentReportingHandler(handler, onSent)))
