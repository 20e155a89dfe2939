import type { Usage } from '../domain/usage.ts'

/** What a vendor counts of a stream: once at its end, twice, or with every chunk as a running count. The last one counts. */
export class RunningUsage {
  usage: Usage | null = null
  #size = 0

  /** Takes a count that came when so many characters had been said; null is none, and changes nothing. */
  told(usage: Usage | null, size: number): void {
    if (usage === null) return
    this.usage = usage
    this.#size = size
  }

  /** How many characters have been said since, where they are so many in all. */
  since(size: number): number {
    return size - this.#size
  }
}
