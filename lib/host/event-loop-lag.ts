const SAMPLE_INTERVAL_MS = 50
/** The weight of the last step against the earlier ones: one pause for garbage collection is not an overload. */
const SMOOTHING_FACTOR = 0.5

/** Measures how late timers fire, which is how long a request waits until this process handles it. Smoothed over some steps. */
export class LagMonitor {
  #lagMs = 0
  readonly #timer: NodeJS.Timeout

  constructor(ticks: () => number) {
    let dueMs = ticks() + SAMPLE_INTERVAL_MS
    this.#timer = setInterval(() => {
      const now = ticks()
      this.#lagMs = smooth(this.#lagMs, now - dueMs)
      dueMs = now + SAMPLE_INTERVAL_MS
    }, SAMPLE_INTERVAL_MS)
    this.#timer.unref()
  }

  get lagMs(): number {
    return this.#lagMs
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

const smooth = (previous: number, lateMs: number): number =>
  previous * (1 - SMOOTHING_FACTOR) + Math.max(0, lateMs) * SMOOTHING_FACTOR
