'use client'
import dynamic from 'next/dynamic'
import { type ReactNode, useEffect } from 'react'
import { requestToaster, useToasterRequested } from './toast.ts'
import { TooltipProvider } from './ui/tooltip.tsx'

// The page works without toasts: the next response shows the result of an action anyway.
const Nothing = () => null

const Toasts = dynamic(() => import('./toasts.tsx').then((module) => module.Toasts).catch(() => Nothing), { ssr: false })

/** Provides what the pages of the console share: tooltips and the toaster. */
export function Providers({ children }: { children: ReactNode }) {
  const isToasterRequested = useToasterRequested()
  useEffect(() => {
    // Most toasts respond to an action, so the toaster loads at the first one. Screen readers announce a toast only if the
    // toaster was there before it.
    const stop = new AbortController()
    for (const kind of ['pointerdown', 'keydown'])
      window.addEventListener(kind, requestToaster, { once: true, passive: true, signal: stop.signal })
    return () => stop.abort()
  }, [])
  return (
    <>
      <TooltipProvider>{children}</TooltipProvider>
      {isToasterRequested && <Toasts />}
    </>
  )
}
