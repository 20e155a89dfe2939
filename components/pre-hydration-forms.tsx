'use client'
import { useEffect } from 'react'

const RETRY_DELAY_MS = 100

/** Submits the kept forms. A form whose part of the page is not hydrated yet is not handled now either, and is kept again. */
function submitForms(): void {
  for (const form of [...(window.early ?? [])]) {
    window.early?.delete(form)
    if (form.isConnected) form.requestSubmit()
  }
}

/**
 * Submits the forms that were submitted before the page's scripts ran. Only forms with `data-early`: their handlers read the
 * fields from the page. Others would send React's state, which differs from what was typed.
 */
export function PreHydrationForms() {
  useEffect(() => {
    const retry = () => setTimeout(submitForms, RETRY_DELAY_MS)
    window.addEventListener('submit', retry)
    // After React's current work: within it, React drops events of parts that are not hydrated yet.
    setTimeout(submitForms)
    return () => window.removeEventListener('submit', retry)
  }, [])
  return null
}
