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

/** Told of each call that was answered. */
export function noteAnswer(): void {
  if (since !== null) set(null)
}

function listen(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('offline', noteSilence)
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
