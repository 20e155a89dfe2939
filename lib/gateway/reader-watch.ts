/** After a minute without a byte many proxies consider a connection dead, and models can think for longer than that. */
const KEEP_ALIVE_MS = 15_000

/**
 * Notices a reader that takes nothing for too long. The time only runs while there is something for the reader to take. If
 * the reader is the one that waits, `onIdle` is called again and again as long as there is nothing for it.
 */
export class ReaderWatch {
  readonly #ms: number
  readonly #onStalled: () => void
  readonly #onIdle: (() => void) | null
  #timer: NodeJS.Timeout | null = null
  #idleTimer: NodeJS.Timeout | null = null
  /** Whether the reader waits for us, and not the other way round. */
  #isWaiting = false
  /** Whether the reader was given something since the last round. */
  #sentRecently = false

  constructor(ms: number, onStalled: () => void, onIdle: (() => void) | null = null) {
    this.#ms = ms
    this.#onStalled = onStalled
    this.#onIdle = onIdle
  }

  /** The reader asks for more. */
  markWaiting(): void {
    this.#isWaiting = true
  }

  /** The reader was given something and has to take it. */
  markSent(): void {
    this.#isWaiting = false
    this.#sentRecently = true
    if (this.#timer) {
      this.#timer.refresh()
      return
    }
    this.#timer = setTimeout(() => {
      if (!this.#isWaiting) this.#onStalled()
    }, this.#ms)
    this.#timer.unref()
    if (this.#onIdle) this.#idleTimer = setInterval(this.#checkIdle, Math.min(KEEP_ALIVE_MS, this.#ms / 4)).unref()
  }

  readonly #checkIdle = (): void => {
    if (this.#isWaiting && !this.#sentRecently) this.#onIdle?.()
    this.#sentRecently = false
  }

  /** Nothing more will be given, or nobody reads. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#idleTimer) clearInterval(this.#idleTimer)
  }
}
