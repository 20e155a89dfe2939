import { useRef } from 'react'

/**
 * For a window's `onCloseAutoFocus`: gives the focus back to what had it when the window opened. Radix does so for triggers
 * of its own only.
 */
export function useFocusBack(open: boolean): (event: Event) => void {
  const was = useRef(false)
  const before = useRef<Element | null>(null)
  // While it is drawn, not after: what takes the focus by itself has it before any effect runs.
  if (open !== was.current) {
    was.current = open
    if (open && typeof document !== 'undefined') before.current = document.activeElement
  }
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
