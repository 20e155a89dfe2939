import { type ReactNode, useSyncExternalStore } from 'react'
import type { ExternalToast, toast as sonner } from 'sonner'

type SonnerToast = typeof sonner

const listeners = new Set<() => void>()
const pending: ((say: SonnerToast) => void)[] = []
let isRequested = false
let activeToast: SonnerToast | null = null

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Makes the page load the toaster, unless it already has. */
export function requestToaster(): void {
  if (isRequested) return
  isRequested = true
  for (const listener of listeners) listener()
}

/** Whether toasts were requested, so that the toaster has to be rendered. */
export const useToasterRequested = (): boolean =>
  useSyncExternalStore(
    listen,
    () => isRequested,
    () => false,
  )

/** Called by the toaster once it listens. Shows the toasts that were waiting and returns a function that closes it. */
export function connectToaster(shown: SonnerToast): () => void {
  activeToast = shown
  for (const show of pending.splice(0)) show(shown)
  return () => {
    activeToast = null
  }
}

function showWhenReady(show: (say: SonnerToast) => void): void {
  if (activeToast !== null) {
    show(activeToast)
    // A page without a toaster shows no toasts, and they are not kept for the next page that has one.
  } else if (listeners.size > 0) {
    pending.push(show)
    requestToaster()
  }
}

/** Shows a message in a corner of the page for a few seconds, with the interface of sonner, which is loaded on first use. */
export const toast = Object.assign(
  (text: ReactNode, options?: ExternalToast): void => showWhenReady((shown) => shown(text, options)),
  {
    success: (text: ReactNode, options?: ExternalToast): void => showWhenReady((shown) => shown.success(text, options)),
    error: (text: ReactNode, options?: ExternalToast): void => showWhenReady((shown) => shown.error(text, options)),
  },
)
