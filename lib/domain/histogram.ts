/**
 * Durations in buckets, each a fifth longer than the one before: 1 ms, 1.2 ms, 1.44 ms, ... up to nine hours. A bucket is read
 * as its geometric middle, so no percentile from 1 ms up is off by more than 10 % (the square root of 1.2 is 1.095). Histograms
 * of minutes, processes and deployments are added bucket by bucket, without any loss.
 */
export const BUCKETS = 96
/** The largest error of a bucket's middle, as a share. */
export const MAX_ERROR = 0.1
const RATIO = 1.2
const PER_LOG = 1 / Math.log(RATIO)
/** A packed number is a count times this, plus the bucket's index. */
const PACK_BASE = 128

/** How many durations fell into each bucket. */
export type Histogram = Uint32Array<ArrayBuffer>

/** The bucket of a duration in milliseconds. */
export function bucketOf(ms: number): number {
  if (!(ms > 1)) return 0
  return Math.min(BUCKETS - 1, Math.ceil(Math.log(ms) * PER_LOG))
}

/** The duration in milliseconds that represents a bucket. */
const midpointMs = (bucket: number): number => (bucket === 0 ? 1 : RATIO ** (bucket - 0.5))

/** The buckets that are not empty, each as one number: its count times 128, plus its index. */
export function packBuckets(counts: Histogram): number[] {
  const packed: number[] = []
  for (let at = 0; at < counts.length; at++) {
    const count = counts[at] ?? 0
    if (count > 0) packed.push(count * PACK_BASE + at)
  }
  return packed
}

/** Counts by bucket, in bucket order, from the packed numbers of any number of histograms. */
export function mergeBuckets(packed: Iterable<number>): Map<number, number> {
  const counts = new Map<number, number>()
  for (const one of packed) {
    const at = one % PACK_BASE
    counts.set(at, (counts.get(at) ?? 0) + Math.floor(one / PACK_BASE))
  }
  return new Map([...counts].sort(([a], [b]) => a - b))
}

/**
 * The duration in milliseconds below which this share of all (0 to 1) lies, by nearest rank, or null if nothing was counted.
 * `counts` are in bucket order.
 */
export function percentile(counts: ReadonlyMap<number, number>, share: number): number | null {
  let total = 0
  for (const count of counts.values()) total += count
  if (total === 0) return null
  let left = Math.max(1, Math.ceil(share * total))
  for (const [bucket, count] of counts) {
    left -= count
    if (left <= 0) return midpointMs(bucket)
  }
  return null
}
