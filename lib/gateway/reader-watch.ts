/** Notices a reader that takes nothing for too long. It is only waited for while it has something to take. */
export class ReaderWatch {
  readonly #ms: number
  readonly #lost: () => void
  #timer: NodeJS.Timeout | null = null
  /** The reader waits for us, and not the other way round. */
  #asking = false

  constructor(ms: number, lost: () => void) {
    this.#ms = ms
    this.#lost = lost
  }

  /** The reader asks for more. */
  asks(): void {
    this.#asking = true
  }

  /** The reader was given something, and has to take it. */
  given(): void {
    this.#asking = false
    if (this.#timer) {
      this.#timer.refresh()
      return
    }
    this.#timer = setTimeout(() => {
      if (!this.#asking) this.#lost()
    }, this.#ms)
    this.#timer.unref()
  }

  /** Nothing more will be given, or nobody reads. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
  }
}
