import type { Batch } from './ports.ts'

const BUCKET_MS = 5_000

/** Recently posted batches, in buckets of five seconds or an eighth of the memory limit, bounded in bytes. */
export class RecentBatches {
  readonly #maxBytes: number
  #buckets: { at: number; batches: Batch[]; bytes: number }[] = []
  #bytes = 0

  constructor(options: { maxBytes: number }) {
    this.#maxBytes = options.maxBytes
  }

  /** Keeps a batch; `nowMs` is monotonic. Drops the oldest buckets when the memory limit is exceeded. */
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

  /** Forgets what was kept before a moment of the same clock, because a failover can no longer have lost it. */
  forget(beforeMs: number): void {
    for (let oldest = this.#buckets[0]; oldest && oldest.at + BUCKET_MS <= beforeMs; oldest = this.#buckets[0]) this.#drop()
  }

  /** Treats everything as posted at this moment, because it was posted again. */
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
