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

/** Lets the page load what shows toasts, unless it has. */
export function wantToasts(): void {
  if (wanted) return
  wanted = true
  for (const listener of listeners) listener()
}

/** Whether toasts were asked for, so that their place has to be there. */
export const useToastsWanted = (): boolean =>
  useSyncExternalStore(
    listen,
    () => wanted,
    () => false,
  )

/** Called by the place for toasts once it listens: what was said until then is shown. Answers how to close it. */
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
    // A page without a place for toasts shows none, and the next one that has it does not show what is old.
  } else if (listeners.size > 0) {
    waiting.push(show)
    wantToasts()
  }
}

/** Says something in a corner of the page for a few seconds, as sonner does, which is loaded when first needed. */
export const toast = Object.assign((text: ReactNode, options?: ExternalToast): void => soon((shown) => shown(text, options)), {
  success: (text: ReactNode, options?: ExternalToast): void => soon((shown) => shown.success(text, options)),
  error: (text: ReactNode, options?: ExternalToast): void => soon((shown) => shown.error(text, options)),
})
