const STEP_MS = 50
/** The weight of the last step against the earlier ones: one pause for garbage collection is not an overload. */
const WEIGHT = 0.5

/** Measures how late timers fire, which is how long a request waits until this process handles it. Smoothed over some steps. */
export class LagWatch {
  #lagMs = 0
  readonly #timer: NodeJS.Timeout

  constructor(ticks: () => number) {
    let dueMs = ticks() + STEP_MS
    this.#timer = setInterval(() => {
      const now = ticks()
      this.#lagMs = smooth(this.#lagMs, now - dueMs)
      dueMs = now + STEP_MS
    }, STEP_MS)
    this.#timer.unref()
  }

  get lagMs(): number {
    return this.#lagMs
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

const smooth = (before: number, lateMs: number): number => before * (1 - WEIGHT) + Math.max(0, lateMs) * WEIGHT
