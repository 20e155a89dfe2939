import { isReachable, isUnreachable } from './reachability.ts'
import { clearTyping, hasUnsaved } from './unsaved-input.ts'

type Leave = () => void
type Ask = (leave: Leave) => void

let confirmLeave: Ask | null = null
let offerRetry: Ask | null = null

/** Sets who asks the reader. It gets the function that leaves, to call if the reader agrees. */
export const setLeaveConfirmation = (handler: Ask | null): void => {
  confirmLeave = handler
}

/** Sets who tells the reader that no page can be opened now. It gets the function that tries again. */
export const setRetryOffer = (handler: Ask | null): void => {
  offerRetry = handler
}

function leaveUnlessUnsaved(leave: Leave): void {
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

/** Whether `leavePage` may have to ask or to tell something before it leaves. */
export const needsCare = (): boolean => hasUnsaved() || isUnreachable()

/**
 * Leaves the page, at once if nothing on it is unsaved; otherwise the reader is asked first. While the gateway does not respond
 * the reader stays: the browser would replace the page, and what is on it, by an error page of its own.
 */
export function leavePage(leave: Leave): void {
  const offer = offerRetry
  if (offer === null || !isUnreachable()) {
    leaveUnlessUnsaved(leave)
    return
  }
  void isReachable().then((reachable) => (reachable ? leaveUnlessUnsaved(leave) : offer(() => leavePage(leave))))
}
