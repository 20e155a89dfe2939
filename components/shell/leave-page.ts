import { clearTyping, hasUnsaved } from './unsaved-input.ts'

type Leave = () => void

let confirmLeave: ((leave: Leave) => void) | null = null

/** Sets who asks the reader. It gets the function that leaves, to call if the reader agrees. */
export const setLeaveConfirmation = (handler: typeof confirmLeave): void => {
  confirmLeave = handler
}

/** Leaves the page, at once if nothing on it is unsaved; otherwise the reader is asked first. */
export function leavePage(leave: Leave): void {
  if (confirmLeave === null || !hasUnsaved()) {
    leave()
    return
  }
  confirmLeave(() => {
    // Or the browser would ask again.
    clearTyping()
    leave()
  })
}
