'use client'
import { useEffect, useRef } from 'react'

interface SendKeys {
  onSend: () => void
  /** Null if nothing is running. Escape is then left for whatever else it closes. */
  onStop: (() => void) | null
}

/** Ctrl or Cmd with Enter sends from anywhere on the page. Escape stops what is running. */
export function useSendKeys(keys: SendKeys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return
      const inDialog = event.target instanceof Element && event.target.closest('[role=dialog]') !== null
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !inDialog) {
        event.preventDefault()
        latest.current.onSend()
      } else if (event.key === 'Escape' && latest.current.onStop !== null) {
        event.preventDefault()
        latest.current.onStop()
      }
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}
