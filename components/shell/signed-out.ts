import { createStore } from '../create-store.ts'
import { ApiError } from '../fetch-json.ts'
import { hasTypedText } from './unsaved-input.ts'

const signedOut = createStore(false)

/**
 * Called for each failed read, which is how an ended session is noticed. The reader signs in and returns to the same page. If
 * another user has signed in, the page reloads for that user. If there is unsent text in a form, only a notice is shown,
 * because the text would be lost.
 */
export function redirectIfSignedOut(error: unknown): void {
  if (!(error instanceof ApiError)) return
  if (error.code === 'other_account' && !hasTypedText()) window.location.reload()
  if (error.status !== 401) return
  if (hasTypedText()) {
    signedOut.write(true)
    return
  }
  const here = window.location.pathname + window.location.search
  window.location.assign(`/sign-in?next=${encodeURIComponent(here)}`)
}

/** Called when the session is valid: the reader may have signed in again in another tab. */
export const recordSignedIn = (): void => signedOut.write(false)

/** Whether the session has ended while a form is not sent yet. */
export const useSignedOut = signedOut.use
