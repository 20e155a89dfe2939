import { useSyncExternalStore } from 'react'
import { ApiError } from '../fetch-json.ts'

const listeners = new Set<() => void>()
/** The fields that somebody has typed in. */
const touched = new Set<HTMLInputElement | HTMLTextAreaElement>()
let isOut = false

function set(next: boolean): void {
  if (next === isOut) return
  isOut = next
  for (const listener of listeners) listener()
}

function noteTyping({ target }: Event): void {
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) touched.add(target)
}

/** Whether something stands on the page that was typed and would be sent: searches and filters stand in the address. */
function isTyped(): boolean {
  for (const field of touched) if (!field.isConnected) touched.delete(field)
  return [...touched].some(({ form, value }) => form?.method === 'post' && value !== '')
}

/** From when on it is known what somebody types. Answers how to end it. */
export function watchTyping(): () => void {
  window.addEventListener('input', noteTyping, { capture: true, passive: true })
  return () => window.removeEventListener('input', noteTyping, { capture: true })
}

/**
 * Told of each reading that failed. A session that has ended is found out so: the reader signs in and comes back to the same
 * page; where somebody else has signed in, it becomes theirs. Whoever is in the middle of a form is told instead, since what
 * was typed would not come back.
 */
export function leaveWhenSignedOut(error: unknown): void {
  if (!(error instanceof ApiError)) return
  if (error.code === 'other_account' && !isTyped()) window.location.reload()
  if (error.status !== 401) return
  if (isTyped()) {
    set(true)
    return
  }
  const here = window.location.pathname + window.location.search
  window.location.assign(`/sign-in?next=${encodeURIComponent(here)}`)
}

/** Told when the session is good: somebody may have signed in again in another tab. */
export const noteSignedIn = (): void => set(false)

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the session has ended under a form that is not sent yet. */
export const useSignedOut = (): boolean =>
  useSyncExternalStore(
    listen,
    () => isOut,
    () => false,
  )
