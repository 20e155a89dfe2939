import { rowBytes, type SettlementRow } from './settlement-row.ts'

const BUCKET_MS = 5_000

/** What was posted lately, in buckets of five seconds or an eighth of the room, bounded in age and in bytes. */
export class RecentRows {
  readonly #lifeMs: number
  readonly #maxBytes: number
  #buckets: { at: number; rows: SettlementRow[]; bytes: number }[] = []
  #bytes = 0

  constructor(options: { lifeMs: number; maxBytes: number }) {
    this.#lifeMs = options.lifeMs
    this.#maxBytes = options.maxBytes
  }

  /** Keeps a row; `nowMs` is monotonic. The oldest bucket goes when it is too old or memory runs out. */
  add(row: SettlementRow, nowMs: number): void {
    let bucket = this.#buckets.at(-1)
    if (!bucket || nowMs - bucket.at >= BUCKET_MS || bucket.bytes >= this.#maxBytes / 8) {
      bucket = { at: nowMs, rows: [], bytes: 0 }
      this.#buckets.push(bucket)
    }
    const bytes = rowBytes(row)
    bucket.rows.push(row)
    bucket.bytes += bytes
    this.#bytes += bytes
    for (let oldest = this.#buckets[0]; oldest && this.#buckets.length > 1; oldest = this.#buckets[0]) {
      if (nowMs - oldest.at < this.#lifeMs && this.#bytes <= this.#maxBytes) break
      this.#bytes -= oldest.bytes
      this.#buckets.shift()
    }
  }

  all(): SettlementRow[] {
    return this.#buckets.flatMap((bucket) => bucket.rows)
  }
}
