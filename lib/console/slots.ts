import type { Slots } from '../services/usage/usage-ports.ts'

/** Lets at most `max` operations of an account run at once in this process. */
export function createSlots(max: number): Slots {
  const running = new Map<string, number>()
  return {
    acquire(accountId) {
      const current = running.get(accountId) ?? 0
      if (current >= max) return null
      running.set(accountId, current + 1)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        const remaining = (running.get(accountId) ?? 1) - 1
        if (remaining > 0) running.set(accountId, remaining)
        else running.delete(accountId)
      }
    },
  }
}
