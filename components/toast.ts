import { type ReactNode, useSyncExternalStore } from 'react'
import type { ExternalToast, toast as sonner } from 'sonner'

type Say = typeof sonner

const listeners = new Set<() => void>()
const waiting: ((say: Say) => void)[] = []
let wanted = false
let say: Say | null = null

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Makes the page load the toaster, unless it already has. */
export function wantToasts(): void {
  if (wanted) return
  wanted = true
  for (const listener of listeners) listener()
}

/** Whether toasts were requested, so that the toaster has to be rendered. */
export const useToastsWanted = (): boolean =>
  useSyncExternalStore(
    listen,
    () => wanted,
    () => false,
  )

/** Called by the toaster once it listens. Shows the toasts that were waiting and returns a function that closes it. */
export function openToasts(shown: Say): () => void {
  say = shown
  for (const show of waiting.splice(0)) show(shown)
  return () => {
    say = null
  }
}

function soon(show: (say: Say) => void): void {
  if (say !== null) {
    show(say)
    // A page without a toaster shows no toasts, and they are not kept for the next page that has one.
  } else if (listeners.size > 0) {
    waiting.push(show)
    wantToasts()
  }
}

/** Shows a message in a corner of the page for a few seconds, with the interface of sonner, which is loaded on first use. */
export const toast = Object.assign((text: ReactNode, options?: ExternalToast): void => soon((shown) => shown(text, options)), {
  success: (text: ReactNode, options?: ExternalToast): void => soon((shown) => shown.success(text, options)),
  error: (text: ReactNode, options?: ExternalToast): void => soon((shown) => shown.error(text, options)),
})
