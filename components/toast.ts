import type { ReactNode } from 'react'
import type { ExternalToast, toast as sonner } from 'sonner'
import { createStore } from './create-store.ts'

type SonnerToast = typeof sonner

const requested = createStore(false)
const pending: ((say: SonnerToast) => void)[] = []
let activeToast: SonnerToast | null = null

/** Makes the page load the toaster, unless it already has. */
export const requestToaster = (): void => requested.write(true)

/** Whether toasts were requested, so that the toaster has to be rendered. */
export const useToasterRequested = requested.use

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
  } else if (requested.isUsed()) {
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
