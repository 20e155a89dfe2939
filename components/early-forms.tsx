'use client'
import { useEffect } from 'react'

const AGAIN_MS = 100

/** Sends what was kept. What is not heard even now, because its part of the page is not alive yet, is kept again. */
function send(): void {
  for (const form of [...(window.early ?? [])]) {
    window.early?.delete(form)
    if (form.isConnected) form.requestSubmit()
  }
}

/**
 * Sends the forms that were sent before the page's scripts ran, once they do. Only those that say `data-early`: they are read
 * from the page as they are sent, where others would send what React knows, which is not what was typed.
 */
export function EarlyForms() {
  useEffect(() => {
    const again = () => setTimeout(send, AGAIN_MS)
    window.addEventListener('submit', again)
    // After React's own turn: within it, what it hears of parts that are not alive yet is lost.
    setTimeout(send)
    return () => window.removeEventListener('submit', again)
  }, [])
  return null
}
