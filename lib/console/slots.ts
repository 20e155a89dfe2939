import type { Slots } from '../services/usage/usage-ports.ts'

/** Lets at most `most` operations of an account run at once in this process. */
export function createSlots(most: number): Slots {
  const running = new Map<string, number>()
  return {
    enter(accountId) {
      const before = running.get(accountId) ?? 0
      if (before >= most) return null
      running.set(accountId, before + 1)
      let inside = true
      return () => {
        if (!inside) return
        inside = false
        const left = (running.get(accountId) ?? 1) - 1
        if (left > 0) running.set(accountId, left)
        else running.delete(accountId)
      }
    },
  }
}
