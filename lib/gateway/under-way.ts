/** What is under way in a process, and can be told that the process ends before it does. */
export class UnderWay {
  readonly #stops = new Set<() => void>()
  /** The process waits no longer. */
  over = false

  /** Adds what has begun, by what ends it; at once where the process waits no longer. Answers what takes it out again. */
  add(stop: () => void): () => void {
    this.#stops.add(stop)
    if (this.over) stop()
    return () => void this.#stops.delete(stop)
  }

  /** Tells all of it, and whatever comes after that, to end. Answers how much it was. */
  breakOff(): number {
    this.over = true
    const stops = [...this.#stops]
    for (const stop of stops) stop()
    return stops.length
  }
}
