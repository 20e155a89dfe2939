import type { Deployment } from '../domain/catalog.ts'

/** Counts the calls in flight of each deployment and connection in this process, and knows which have reached their limit. */
export class CallSlots {
  readonly #running = new Map<string, number>()

  /** Whether the deployment, or its connection, has as many calls in flight as it may. */
  isFull({ id, concurrency, connection }: Deployment): boolean {
    return this.#isAtLimit(id, concurrency) || this.#isAtLimit(connection.id, connection.concurrency)
  }

  /** Counts a call that begins. Returns the function that ends it; only its first call counts. */
  enter({ id, connection }: Deployment): () => void {
    const names = [id, connection.id]
    for (const name of names) this.#running.set(name, (this.#running.get(name) ?? 0) + 1)
    let released = false
    return () => {
      if (released) return
      released = true
      for (const name of names) this.#release(name)
    }
  }

  #isAtLimit(name: string, max: number | null | undefined): boolean {
    return max != null && (this.#running.get(name) ?? 0) >= max
  }

  #release(name: string): void {
    const left = (this.#running.get(name) ?? 1) - 1
    if (left > 0) this.#running.set(name, left)
    else this.#running.delete(name)
  }
}
