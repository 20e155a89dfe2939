/** Counts what is in progress, by name. A name with nothing in progress takes no memory. */
export class RunningCounts {
  readonly #counts = new Map<string, number>()

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  begin(name: string): void {
    this.#counts.set(name, this.of(name) + 1)
  }

  end(name: string): void {
    const left = this.of(name) - 1
    if (left > 0) this.#counts.set(name, left)
    else this.#counts.delete(name)
  }
}
