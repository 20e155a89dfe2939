import type { Batch } from './ports.ts'

const BUCKET_MS = 5_000

/** What was posted lately, in buckets of five seconds or an eighth of the room, bounded in age and in bytes. */
export class RecentBatches {
  readonly #lifeMs: number
  readonly #maxBytes: number
  #buckets: { at: number; batches: Batch[]; bytes: number }[] = []
  #bytes = 0

  constructor(options: { lifeMs: number; maxBytes: number }) {
    this.#lifeMs = options.lifeMs
    this.#maxBytes = options.maxBytes
  }

  /** Keeps a batch; `nowMs` is monotonic. The oldest bucket goes when it is too old or memory runs out. */
  add(batch: Batch, nowMs: number): void {
    let bucket = this.#buckets.at(-1)
    if (!bucket || nowMs - bucket.at >= BUCKET_MS || bucket.bytes >= this.#maxBytes / 8) {
      bucket = { at: nowMs, batches: [], bytes: 0 }
      this.#buckets.push(bucket)
    }
    bucket.batches.push(batch)
    bucket.bytes += batch.bytes
    this.#bytes += batch.bytes
    for (let oldest = this.#buckets[0]; oldest && this.#buckets.length > 1; oldest = this.#buckets[0]) {
      if (nowMs - oldest.at < this.#lifeMs && this.#bytes <= this.#maxBytes) break
      this.#bytes -= oldest.bytes
      this.#buckets.shift()
    }
  }

  all(): Batch[] {
    return this.#buckets.flatMap((bucket) => bucket.batches)
  }
}
