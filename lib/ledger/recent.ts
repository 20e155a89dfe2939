import type { Batch } from './ports.ts'

const BUCKET_MS = 5_000

/** What was posted lately, in buckets of five seconds or an eighth of the room, bounded in bytes. */
export class RecentBatches {
  readonly #maxBytes: number
  #buckets: { at: number; batches: Batch[]; bytes: number }[] = []
  #bytes = 0

  constructor(options: { maxBytes: number }) {
    this.#maxBytes = options.maxBytes
  }

  /** Keeps a batch; `nowMs` is monotonic. The oldest bucket goes when memory runs out. */
  add(batch: Batch, nowMs: number): void {
    let bucket = this.#buckets.at(-1)
    if (!bucket || nowMs - bucket.at >= BUCKET_MS || bucket.bytes >= this.#maxBytes / 8) {
      bucket = { at: nowMs, batches: [], bytes: 0 }
      this.#buckets.push(bucket)
    }
    bucket.batches.push(batch)
    bucket.bytes += batch.bytes
    this.#bytes += batch.bytes
    while (this.#bytes > this.#maxBytes && this.#buckets.length > 1) this.#drop()
  }

  /** Forgets what was kept before a moment of that clock: no failover of now can have lost it. */
  forget(beforeMs: number): void {
    for (let oldest = this.#buckets[0]; oldest && oldest.at + BUCKET_MS <= beforeMs; oldest = this.#buckets[0]) this.#drop()
  }

  /** All of it is as good as posted at this moment: it was posted again. */
  renew(nowMs: number): void {
    for (const bucket of this.#buckets) bucket.at = nowMs
  }

  all(): Batch[] {
    return this.#buckets.flatMap((bucket) => bucket.batches)
  }

  #drop(): void {
    this.#bytes -= this.#buckets.shift()?.bytes ?? 0
  }
}
