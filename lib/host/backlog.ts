/** Work that was begun and is not done yet, oldest first. Group commit completes work in about this order. */
export class Backlog {
  readonly #ticks: () => number
  #begun: number[] = []
  #done = 0

  /** `ticks` counts milliseconds and never goes back. */
  constructor(ticks: () => number) {
    this.#ticks = ticks
  }

  get count(): number {
    return this.#begun.length - this.#done
  }

  get oldestMs(): number {
    const first = this.#begun[this.#done]
    return first === undefined ? 0 : this.#ticks() - first
  }

  begin(): void {
    this.#begun.push(this.#ticks())
  }

  /** Marks the oldest work as done. It is only roughly the oldest. */
  end(): void {
    this.#done++
    if (this.#done === this.#begun.length) {
      this.#begun = []
      this.#done = 0
    } else if (this.#done > 10_000) {
      this.#begun = this.#begun.slice(this.#done)
      this.#done = 0
    }
  }
}
