/** How long to wait before a batch is written again. */
const RETRY_MS = 500
/** How long the end of the process waits for a database that is away. */
const DRAIN_MS = 5_000

/**
 * Collects items and writes them in batches, outside of the request that produced them. Bounded in number and in bytes,
 * including items being written. Items that do not fit are dropped. A batch that meets a database that is away is written again
 * when it is back, so writing an item twice must have no effect.
 */
export class WriteBehind<T> {
  readonly #write: (items: T[]) => Promise<void>
  readonly #isTransient: (error: unknown) => boolean
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
  /** When to give up what cannot be written, on the monotonic clock. */
  #untilMs = Number.POSITIVE_INFINITY

  constructor(options: {
    write: (items: T[]) => Promise<void>
    isTransient: (error: unknown) => boolean
    /** Called with the number of items that are given up. */
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
    this.#isTransient = options.isTransient
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
    this.#untilMs = performance.now() + DRAIN_MS
    while (this.#items.length > 0 || this.#writing !== null) {
      this.#start()
      await this.#writing
    }
    this.#untilMs = Number.POSITIVE_INFINITY
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
        if (this.#isTransient(error) && performance.now() < this.#untilMs) {
          this.#items.unshift(...items)
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
          continue
        }
        this.#onFailed(error, items.length)
      }
      for (const item of items) this.#bytes -= this.#weigh(item)
    }
  }
}
