/** Work that was begun and is not done, oldest first, as group commit answers it. */
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

  /** The oldest, near enough, is done. */
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
