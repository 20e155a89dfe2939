import { setTimeout as wait } from 'node:timers/promises'
import { VendorFailure } from '../vendor.ts'

/** Waits `ms` milliseconds; rejects at once, and leaves no timer, when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** The real clock's sleep. */
export const sleep: Sleep = async (ms, signal) => {
  await wait(ms, undefined, { signal })
}

/** Ends the work of a call that was aborted, as a cut connection would. Throws VendorFailure('cut'). */
export function checkAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new VendorFailure('cut', 'AbortError')
}

/** Waits, unless there is nothing to wait for. Throws VendorFailure('cut') when the signal aborts. */
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
