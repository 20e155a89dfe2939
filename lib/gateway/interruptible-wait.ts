/**
 * Waits for one promise after another, unless an error occurs meanwhile. Promise.race would keep everything that was ever
 * waited for.
 */
export class InterruptibleWait {
  #error: { was: unknown } | null = null
  #reject: (error: unknown) => void = () => undefined

  get interrupted(): boolean {
    return this.#error !== null
  }

  /** Only the first error counts. */
  interrupt(error: unknown): void {
    this.#error ??= { was: error }
    this.#reject(this.#error.was)
  }

  waitFor<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      if (this.#error) reject(this.#error.was)
      work.then(resolve, reject)
    })
  }
}
