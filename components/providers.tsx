'use client'
import { ThemeProvider, useTheme } from 'next-themes'
import type { ReactNode } from 'react'
import { Toaster } from 'sonner'
import { TooltipProvider } from './ui/tooltip.tsx'

function Toasts() {
  const { resolvedTheme } = useTheme()
  return (
    <Toaster
      theme={resolvedTheme === 'dark' ? 'dark' : 'light'}
      position="bottom-right"
      toastOptions={{
        style: {
          background: 'var(--panel)',
          color: 'var(--ink)',
          border: '1px solid var(--line)',
          boxShadow: 'var(--float)',
          borderRadius: '8px',
          fontFamily: 'var(--font-sans)',
        },
      }}
    />
  )
}

/** What every page stands in: the theme, the tooltips and the place for toasts. */
export function Providers({ children }: { children: ReactNode }) {
  return (
    <ThemeProvider attribute="data-theme" defaultTheme="system" enableSystem disableTransitionOnChange>
      <TooltipProvider>{children}</TooltipProvider>
      <Toasts />
    </ThemeProvider>
  )
}
