/** After a minute without a byte many proxies consider a connection dead, and models can think for longer than that. */
const ALIVE_MS = 15_000

/**
 * Notices a reader that takes nothing for too long. The time only runs while there is something for the reader to take. If
 * the reader is the one that waits, `silent` is called again and again as long as there is nothing for it.
 */
export class ReaderWatch {
  readonly #ms: number
  readonly #lost: () => void
  readonly #silent: (() => void) | null
  #timer: NodeJS.Timeout | null = null
  #rounds: NodeJS.Timeout | null = null
  /** Whether the reader waits for us, and not the other way round. */
  #asking = false
  /** Whether the reader was given something since the last round. */
  #heard = false

  constructor(ms: number, lost: () => void, silent: (() => void) | null = null) {
    this.#ms = ms
    this.#lost = lost
    this.#silent = silent
  }

  /** The reader asks for more. */
  asks(): void {
    this.#asking = true
  }

  /** The reader was given something and has to take it. */
  given(): void {
    this.#asking = false
    this.#heard = true
    if (this.#timer) {
      this.#timer.refresh()
      return
    }
    this.#timer = setTimeout(() => {
      if (!this.#asking) this.#lost()
    }, this.#ms)
    this.#timer.unref()
    if (this.#silent) this.#rounds = setInterval(this.#round, Math.min(ALIVE_MS, this.#ms / 4)).unref()
  }

  readonly #round = (): void => {
    if (this.#asking && !this.#heard) this.#silent?.()
    this.#heard = false
  }

  /** Nothing more will be given, or nobody reads. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#rounds) clearInterval(this.#rounds)
  }
}
