/** Nothing is gathered for longer than this, in milliseconds. */
const MOST_MS = 2

/**
 * Calls back when another turn of the event loop brought no more of what is counted, and after two milliseconds at the
 * latest. What is alone at the end of its turn waits no longer.
 */
export function whenGathered(count: () => number, then: () => void): void {
  const untilMs = performance.now() + MOST_MS
  let seen = 1
  const look = () => {
    const now = count()
    if (now > seen && performance.now() < untilMs) {
      seen = now
      setImmediate(look)
    } else then()
  }
  setImmediate(look)
}

/**
 * Does side by side what came in the same turns of the event loop. Many requests that each go their whole way alone
 * drive each other's code out of the processor's caches; taken together, each step is done for all of them before the next.
 */
export class Together {
  #works: (() => void)[] = []
  /** How many came together, the last time. */
  #latest = 0
  /** So many came since one was done alone, in the same turn; none where that turn is over. */
  #inTurn = 0

  /**
   * Does it soon, and not at once; in the order of adding. Where nothing came together lately it is done as soon as all of
   * the event that brought it is: a turn of the loop would take longer than the work of many a step.
   */
  add(work: () => void): void {
    if (this.#works.length === 0 && this.#latest <= 1 && this.#inTurn === 0) {
      this.#inTurn = 1
      setImmediate(this.#endTurn)
      queueMicrotask(work)
      return
    }
    if (this.#inTurn > 0) this.#inTurn++
    if (this.#works.push(work) === 1) whenGathered(() => this.#works.length, this.#run)
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
