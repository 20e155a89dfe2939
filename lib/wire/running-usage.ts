import type { Usage } from '../domain/usage.ts'

/**
 * The usage that a vendor reports in a stream: once at its end, twice, or as a running count with every chunk. The last one
 * counts.
 */
export class RunningUsage {
  usage: Usage | null = null
  #sizeAtUsage = 0

  /** Takes a usage that arrived after `size` characters. Null means that there is none, and changes nothing. */
  record(usage: Usage | null, size: number): void {
    if (usage === null) return
    this.usage = usage
    this.#sizeAtUsage = size
  }

  /** How many of `size` characters have arrived since then. */
  charsSince(size: number): number {
    return size - this.#sizeAtUsage
  }
}
