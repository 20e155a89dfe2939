const MIN_PAUSE_MS = 1_000
/** The longest pause between two attempts, whatever a vendor says. */
export const MAX_PAUSE_MS = 60_000
const FIRST_PAUSE_MS = 2_000

/**
 * How long to wait before the vendor is asked for a video's status again: 5 to 10 seconds for videos of up to 10 seconds, 15
 * to 30 for longer ones (specification 4.10). It varies randomly, so that tasks that began together do not stay in step. If
 * the vendor named a time, that is used, within bounds.
 */
export function pollPause(seconds: number, vendorPauseMs: number | undefined, random: number): number {
  if (vendorPauseMs !== undefined && vendorPauseMs >= 0) return Math.min(Math.max(vendorPauseMs, MIN_PAUSE_MS), MAX_PAUSE_MS)
  const minMs = seconds <= 10 ? 5_000 : 15_000
  return minMs * (1 + random)
}

/** How long to wait after this many failures in a row: twice as long each time, up to a minute, give or take a random quarter. */
export function failurePause(failures: number, random: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 10), MAX_PAUSE_MS) * (0.75 + random / 2)
}
