const STEP_MS = 50
/** What the last step weighs against those before: one stall of a garbage collection is not yet an overload. */
const WEIGHT = 0.5

/** How late a timer comes is how long a request waits before this process looks at it. Smoothed over some steps. */
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
