'use client'
import { useEffect, useState } from 'react'

/** By then, Stripe has nearly always sent its event. */
const LATE_MS = 20_000

/** Whether an event from Stripe is late, counted from when the waiting began. */
export function useLate(isWaiting: boolean): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => setLate(true), LATE_MS)
    return () => clearTimeout(timer)
  }, [isWaiting])
  return late && isWaiting
}
