'use client'
import dynamic from 'next/dynamic'
import { type ReactNode, useEffect } from 'react'
import { useToastsWanted, wantToasts } from './toast.ts'
import { TooltipProvider } from './ui/tooltip.tsx'

// Without it a page works all the same: what broke is told by what is asked for next.
const Nothing = () => null

const Toasts = dynamic(() => import('./toasts.tsx').then((module) => module.Toasts).catch(() => Nothing), { ssr: false })

/** What the pages of the console stand in: the tooltips and the place for toasts. */
export function Providers({ children }: { children: ReactNode }) {
  const wanted = useToastsWanted()
  useEffect(() => {
    // Most toasts answer what somebody did. Their place comes with the first thing that is done: those who hear the page
    // are told of a toast only where it was there before.
    const stop = new AbortController()
    for (const kind of ['pointerdown', 'keydown'])
      window.addEventListener(kind, wantToasts, { once: true, passive: true, signal: stop.signal })
    return () => stop.abort()
  }, [])
  return (
    <>
      <TooltipProvider>{children}</TooltipProvider>
      {wanted && <Toasts />}
    </>
  )
}
