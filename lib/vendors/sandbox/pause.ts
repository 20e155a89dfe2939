import { setTimeout as wait } from 'node:timers/promises'
import { VendorFailure } from '../vendor.ts'

/** Waits `ms` milliseconds. When the signal aborts, rejects at once and leaves no timer. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** Sleeps by the real clock. */
export const sleep: Sleep = async (ms, signal) => {
  await wait(ms, undefined, { signal })
}

/** Throws VendorFailure('cut') if the call was aborted, as if its connection had been cut. */
export function checkAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new VendorFailure('cut', 'AbortError')
}

/** Waits `ms` milliseconds, if that is more than 0. Throws VendorFailure('cut') when the signal aborts. */
export async function pause(sleeper: Sleep, ms: number, signal: AbortSignal): Promise<void> {
  checkAborted(signal)
  if (ms <= 0) return
  try {
    await sleeper(ms, signal)
  } catch (error) {
    checkAborted(signal)
    throw error
  }
  checkAborted(signal)
}
