import { useInsertionEffect, useRef } from 'react'

/**
 * For a window's `onCloseAutoFocus`: gives the focus back to what had it when the window opened. Radix does so for triggers
 * of its own only.
 */
export function useFocusBack(open: boolean): (event: Event) => void {
  const before = useRef<Element | null>(null)
  // Before any other effect: what takes the focus by itself has it by then. Not while it is drawn: a window that is about to
  // close can be drawn open once more, and what has the focus then is within it.
  useInsertionEffect(() => {
    if (open) before.current = document.activeElement
  }, [open])
  return (event) => {
    const opener = before.current
    const there = opener instanceof HTMLElement && opener.isConnected && opener !== document.body
    // What opened it may be gone, such as the window before this one: then the page's content, not the start of all.
    const to = there ? opener : document.querySelector('main')
    if (to === null) return
    event.preventDefault()
    to.focus({ preventScroll: true })
  }
}
