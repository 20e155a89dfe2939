/** Work that was begun and is not done yet, oldest first. Group commit completes work in about this order. */
export class Backlog {
  readonly #ticks: () => number
  #startTimes: number[] = []
  #doneCount = 0

  /** `ticks` counts milliseconds and never goes back. */
  constructor(ticks: () => number) {
    this.#ticks = ticks
  }

  get count(): number {
    return this.#startTimes.length - this.#doneCount
  }

  get oldestMs(): number {
    const first = this.#startTimes[this.#doneCount]
    return first === undefined ? 0 : this.#ticks() - first
  }

  begin(): void {
    this.#startTimes.push(this.#ticks())
  }

  /** Marks the oldest work as done. It is only roughly the oldest. */
  end(): void {
    this.#doneCount++
    if (this.#doneCount === this.#startTimes.length) {
      this.#startTimes = []
      this.#doneCount = 0
    } else if (this.#doneCount > 10_000) {
      this.#startTimes = this.#startTimes.slice(this.#doneCount)
      this.#doneCount = 0
    }
  }
}
