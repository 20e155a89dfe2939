import { RunningCounts } from '../domain/running-counts.ts'
import type { Slots } from '../services/usage/usage-ports.ts'

/** Lets at most `max` operations of an account run at once in this process. */
export function createSlots(max: number): Slots {
  const running = new RunningCounts()
  return {
    acquire(accountId) {
      if (running.of(accountId) >= max) return null
      running.begin(accountId)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        running.end(accountId)
      }
    },
  }
}
