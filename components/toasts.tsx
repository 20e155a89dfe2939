'use client'
import { useTheme } from 'next-themes'
import { useEffect } from 'react'
import { Toaster, toast } from 'sonner'
import { connectToaster } from './toast.ts'

/** The toaster, in the theme of the page. */
export function Toasts() {
  const { resolvedTheme } = useTheme()
  // Effects of children run first, so the toaster already listens.
  useEffect(() => connectToaster(toast), [])
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
