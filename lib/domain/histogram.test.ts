import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BUCKETS, bucketOf, MAX_ERROR, mergeBuckets, packBuckets, percentile } from './histogram.ts'

const packed = (times: readonly number[]): number[] => {
  const counts = new Uint32Array(BUCKETS)
  for (const ms of times) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1
  return packBuckets(counts)
}

/** The smallest value that at least this share of all values does not exceed. */
function exact(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN
}

const aTime = fc.oneof(fc.double({ min: 1, max: 100, noNaN: true }), fc.double({ min: 1, max: 3_600_000, noNaN: true }))
const times = fc.array(aTime, { minLength: 1, maxLength: 400 })
const share = fc.oneof(fc.constantFrom(0.5, 0.95, 0.99, 1), fc.double({ min: 0, max: 1, noNaN: true }))

it('no percentile is off by more than the bound, whatever the times are', () => {
  fc.assert(
    fc.property(times, share, (given, part) => {
      const real = exact(given, part)
      const read = percentile(mergeBuckets(packed(given)), part) ?? Number.NaN
      expect(Math.abs(read - real) / real).toBeLessThanOrEqual(MAX_ERROR)
    }),
    { numRuns: 500 },
  )
})

it('histograms that are added up say what one histogram of all times says', () => {
  fc.assert(
    fc.property(fc.array(times, { minLength: 1, maxLength: 8 }), share, (parts, part) => {
      const together = mergeBuckets(packed(parts.flat()))
      const added = mergeBuckets(parts.flatMap(packed))
      expect([...added]).toEqual([...together])
      expect(percentile(added, part)).toBe(percentile(together, part))
    }),
  )
})

it.each([
  [0, 0],
  [1, 0],
  [Number.NaN, 0],
  [-5, 0],
  [1.1, 1],
  [1.21, 2],
  [1e12, BUCKETS - 1],
  [Number.POSITIVE_INFINITY, BUCKETS - 1],
])('%d ms are in bucket %d', (ms, bucket) => {
  expect(bucketOf(ms)).toBe(bucket)
})

it('has no percentile of nothing', () => {
  expect(percentile(new Map(), 0.5)).toBeNull()
})

it('packs what is not empty, and nothing else', () => {
  expect(packed([0.5, 0.7, 10])).toEqual([2 * 128, 128 + bucketOf(10)])
})
