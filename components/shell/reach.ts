import { useSyncExternalStore } from 'react'
import { ApiError } from '../fetch-json.ts'

const listeners = new Set<() => void>()
let since: number | null = null

function set(next: number | null): void {
  since = next
  for (const listener of listeners) listener()
}

function noteSilence(): void {
  if (since === null) set(Date.now())
}

/** Told of each call that failed: whether it was because nothing answers. */
export function noteFailure(error: unknown): void {
  if (error instanceof ApiError && [0, 502, 504].includes(error.status)) noteSilence()
}

/** Told of each call that was answered. One that was under way when the network went says nothing of what comes after. */
export function noteAnswer(): void {
  if (since !== null && navigator.onLine) set(null)
}

function listen(listener: () => void): () => void {
  if (listeners.size === 0) {
    window.addEventListener('offline', noteSilence)
    // It may have gone before anybody listened: the page's scripts come after the page.
    if (!navigator.onLine) noteSilence()
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) window.removeEventListener('offline', noteSilence)
  }
}

/** Since when nothing has answered, in milliseconds; null while the gateway does. */
export const useUnreached = (): number | null =>
  useSyncExternalStore(
    listen,
    () => since,
    () => null,
  )
