import { forgetTyping, hasUnsaved } from './typing.ts'

type Leave = () => void

let question: ((leave: Leave) => void) | null = null

/** Sets who asks the reader. It gets the function that leaves, to call if the reader agrees. */
export const askWith = (ask: typeof question): void => {
  question = ask
}

/** Leaves the page, at once if nothing on it is unsaved; otherwise the reader is asked first. */
export function leavePage(leave: Leave): void {
  if (question === null || !hasUnsaved()) {
    leave()
    return
  }
  question(() => {
    // Or the browser would ask again.
    forgetTyping()
    leave()
  })
}
