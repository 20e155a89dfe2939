import type { BreakerView, TrafficFigures } from '#lib/contracts/traffic'
import { percentile } from '../../domain/histogram.ts'
import type { BreakerRecord, Histograms, Sums } from './traffic-ports.ts'

const round = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 10) / 10)

const timesOf = (counts: ReadonlyMap<number, number> | undefined): TrafficFigures['first'] => {
  const percentileAt = (share: number) => (counts ? round(percentile(counts, share)) : null)
  return { p50: percentileAt(0.5), p95: percentileAt(0.95), p99: percentileAt(0.99) }
}

/** Sums and histograms in the contract's form. Money of one range is far below what a double holds exactly. */
export const figuresOf = (sums: Sums, histograms: Histograms | undefined): TrafficFigures => ({
  requests: sums.requests,
  vendorErrors: sums.vendor_errors,
  clientErrors: sums.client_errors,
  houseErrors: sums.house_errors,
  attempts: sums.attempts,
  attemptFailures: sums.attempt_failures,
  attemptLimits: sums.attempt_limits,
  retries: sums.retries,
  inputTokens: sums.input_tokens,
  outputTokens: sums.output_tokens,
  chargedNano: String(BigInt(sums.charged_nano)),
  vendorCostNano: String(BigInt(sums.vendor_cost_nano)),
  shortfallNano: String(BigInt(sums.shortfall_nano)),
  first: timesOf(histograms?.first),
  took: timesOf(histograms?.took),
})

/** The state of breakers. Without a record, all breakers of a deployment are closed and it is not held. */
export const breakerOf = (record: BreakerRecord | undefined, processes: number): BreakerView => ({
  mode: record?.heldAt ? 'held' : 'automatic',
  heldBy: record?.heldBy ?? null,
  heldAt: record?.heldAt?.toISOString() ?? null,
  open: record?.open ?? 0,
  halfOpen: record?.halfOpen ?? 0,
  // A process that has just started may not be counted yet.
  processes: Math.max(processes, (record?.open ?? 0) + (record?.halfOpen ?? 0)),
  since: record?.since?.toISOString() ?? null,
  failure: record?.failure ? { result: record.failure, status: record.failureStatus } : null,
})
