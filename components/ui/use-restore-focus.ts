import { useInsertionEffect, useRef } from 'react'

/**
 * For a dialog's `onCloseAutoFocus`: returns the focus to the element that had it when the dialog opened. Radix does that only
 * for its own triggers.
 */
export function useRestoreFocus(open: boolean): (event: Event) => void {
  const previousFocus = useRef<Element | null>(null)
  // Runs before all other effects, because autofocus would have moved the focus by then. Not during rendering: a dialog that is
  // about to close can be rendered open once more, and the focus is inside it then.
  useInsertionEffect(() => {
    if (open) previousFocus.current = document.activeElement
  }, [open])
  return (event) => {
    const opener = previousFocus.current
    const canFocusOpener = opener instanceof HTMLElement && opener.isConnected && opener !== document.body
    // The opener may be gone, such as a previous dialog. Then the page's content gets the focus, not the start of the document.
    const target = canFocusOpener ? opener : document.querySelector('main')
    if (target === null) return
    event.preventDefault()
    target.focus({ preventScroll: true })
  }
}
