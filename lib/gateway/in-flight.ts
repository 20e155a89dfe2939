/** Everything in flight in a process that can be told that the process ends first. */
export class InFlight {
  readonly #stops = new Set<() => void>()
  /** Whether the process has stopped waiting. */
  stopped = false

  /**
   * Adds something that has begun, by the function that stops it. If the process has stopped waiting, that is called at once.
   * Returns a function that removes it again.
   */
  add(stop: () => void): () => void {
    this.#stops.add(stop)
    if (this.stopped) stop()
    return () => void this.#stops.delete(stop)
  }

  /** Stops everything in flight, and whatever is added later. Returns how much was in flight. */
  stopAll(): number {
    this.stopped = true
    const stops = [...this.#stops]
    for (const stop of stops) stop()
    return stops.length
  }
}
