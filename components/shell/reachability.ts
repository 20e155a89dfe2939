import { useSyncExternalStore } from 'react'
import { ApiError } from '../fetch-json.ts'

const listeners = new Set<() => void>()
let since: number | null = null

function setSince(next: number | null): void {
  since = next
  for (const listener of listeners) listener()
}

function recordUnreachable(): void {
  if (since === null) setSince(Date.now())
}

/** Called for each failed call. Notes whether it failed because the gateway does not respond. */
export function recordFailure(error: unknown): void {
  if (error instanceof ApiError && [0, 502, 504].includes(error.status)) recordUnreachable()
}

/** Called for each answered call. A call that was answered after the network went down says nothing about the time since. */
export function recordAnswer(): void {
  if (since !== null && navigator.onLine) setSince(null)
}

/** Whether the gateway has not responded when it was last called, or there is no network. */
export const isUnreachable = (): boolean => since !== null

/** How long to wait for the gateway when the reader wants to open a page. */
const ANSWER_TIMEOUT_MS = 5000

/** Asks the gateway whether it responds now. Without a network it still does if it runs on the reader's own machine. */
export async function isReachable(): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
  const response = await fetch('/api/health', { cache: 'no-store', signal }).catch(() => null)
  return response !== null && response.status !== 502 && response.status !== 504
}

function listen(listener: () => void): () => void {
  if (listeners.size === 0) {
    window.addEventListener('offline', recordUnreachable)
    // The network may have gone down before anything listened, because scripts load after the page.
    if (!navigator.onLine) recordUnreachable()
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) window.removeEventListener('offline', recordUnreachable)
  }
}

/** The time since which the gateway has not responded, in milliseconds. Null while it responds. */
export const useUnreachableSince = (): number | null =>
  useSyncExternalStore(
    listen,
    () => since,
    () => null,
  )
