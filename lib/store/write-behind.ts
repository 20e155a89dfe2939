/**
 * Collects items and writes them in batches, outside of the request that produced them. Bounded in number and in bytes,
 * including items being written. Items that do not fit are dropped.
 */
export class WriteBehind<T> {
  readonly #write: (items: T[]) => Promise<void>
  readonly #onFailed: (error: unknown, items: number) => void
  readonly #delayMs: number
  readonly #batch: number
  readonly #maxItems: number
  readonly #maxBytes: number
  readonly #weigh: (item: T) => number
  readonly #onDropped: () => void
  #bytes = 0
  #items: T[] = []
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> | null = null
  constructor(options: {
    write: (items: T[]) => Promise<void>
    onFailed: (error: unknown, items: number) => void
    delayMs: number
    batch: number
    maxItems: number
    maxBytes: number
    /** About how many bytes an item takes in memory. */
    weigh: (item: T) => number
    /** Called for each item that is dropped because too much is waiting. */
    onDropped: () => void
  }) {
    this.#write = options.write
    this.#onFailed = options.onFailed
    this.#delayMs = options.delayMs
    this.#batch = options.batch
    this.#maxItems = options.maxItems
    this.#maxBytes = options.maxBytes
    this.#weigh = options.weigh
    this.#onDropped = options.onDropped
  }

  add(item: T): void {
    const bytes = this.#weigh(item)
    if (this.#items.length >= this.#maxItems || this.#bytes + bytes > this.#maxBytes) {
      this.#onDropped()
      return
    }
    this.#bytes += bytes
    this.#items.push(item)
    if (this.#items.length >= this.#batch) this.#start()
    else this.#timer ??= setTimeout(() => this.#start(), this.#delayMs)
  }

  /** Resolves when everything added so far has been written or given up. */
  async drain(): Promise<void> {
    while (this.#items.length > 0 || this.#writing !== null) {
      this.#start()
      await this.#writing
    }
  }

  #start(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#writing ??= this.#run().finally(() => {
      this.#writing = null
      if (this.#items.length > 0) this.#timer ??= setTimeout(() => this.#start(), this.#delayMs)
    })
  }

  async #run(): Promise<void> {
    while (this.#items.length > 0) {
      const items = this.#items.splice(0, this.#batch)
      try {
        await this.#write(items)
      } catch (error) {
        this.#onFailed(error, items.length)
      }
      for (const item of items) this.#bytes -= this.#weigh(item)
    }
  }
}
