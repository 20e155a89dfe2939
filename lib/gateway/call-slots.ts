import type { Deployment } from '../domain/catalog.ts'
import { RunningCounts } from '../domain/running-counts.ts'

/** Counts the calls in flight of each deployment and connection in this process, and knows which have reached their limit. */
export class CallSlots {
  readonly #running = new RunningCounts()

  /** Whether the deployment, or its connection, has as many calls in flight as it may. */
  isFull({ id, concurrency, connection }: Deployment): boolean {
    return this.#isAtLimit(id, concurrency) || this.#isAtLimit(connection.id, connection.concurrency)
  }

  /** Counts a call that begins. Returns the function that ends it; only its first call counts. */
  enter({ id, connection }: Deployment): () => void {
    const names = [id, connection.id]
    for (const name of names) this.#running.begin(name)
    let released = false
    return () => {
      if (released) return
      released = true
      for (const name of names) this.#running.end(name)
    }
  }

  #isAtLimit(name: string, max: number | null | undefined): boolean {
    return max != null && this.#running.of(name) >= max
  }
}
