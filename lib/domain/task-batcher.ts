/** The longest time of gathering, in milliseconds. */
const MAX_WAIT_MS = 2

/**
 * Calls back when another turn of the event loop has brought no more of what is counted, and after two milliseconds at the
 * latest. Something that is alone at the end of its turn waits no longer.
 */
export function scheduleFlush(count: () => number, flush: () => void): void {
  const untilMs = performance.now() + MAX_WAIT_MS
  let lastCount = 1
  const check = () => {
    const now = count()
    if (now > lastCount && performance.now() < untilMs) {
      lastCount = now
      setImmediate(check)
    } else flush()
  }
  setImmediate(check)
}

/**
 * Runs the work that arrived in the same turns of the event loop side by side. Many requests that each run from start to end on
 * their own evict each other's code from the CPU caches. Together, each step runs for all of them before the next step.
 */
export class TaskBatcher {
  #works: (() => void)[] = []
  /** How many works came together the last time. */
  #latest = 0
  /** How many came in this turn since one ran alone. 0 once that turn is over. */
  #inTurn = 0

  /**
   * Runs the work soon but not immediately, in the order of adding. If nothing came together recently, it runs as soon as the
   * event that brought it has been handled, because a turn of the loop would take longer than many a step's work.
   */
  add(work: () => void): void {
    if (this.#works.length === 0 && this.#latest <= 1 && this.#inTurn === 0) {
      this.#inTurn = 1
      setImmediate(this.#endTurn)
      queueMicrotask(work)
      return
    }
    if (this.#inTurn > 0) this.#inTurn++
    if (this.#works.push(work) === 1) scheduleFlush(() => this.#works.length, this.#run)
  }

  readonly #endTurn = (): void => {
    this.#latest = this.#inTurn
    this.#inTurn = 0
  }

  readonly #run = (): void => {
    const works = this.#works
    this.#works = []
    this.#latest = works.length
    for (const work of works) work()
  }
}
