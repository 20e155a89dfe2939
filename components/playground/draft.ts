'use client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useMe } from '../use-me.ts'

/** More than this is not worth losing everything else that the browser keeps for the page. */
const MOST_CHARACTERS = 3_000_000
const PAUSE_MS = 250

const place = (accountId: string, name: string): string => `tollgate.playground.1.${accountId}.${name}`

/** What is kept under a name, over what a fresh page has. */
function read<T extends object>(accountId: string, name: string, initial: T): T {
  try {
    const kept: unknown = JSON.parse(window.sessionStorage.getItem(place(accountId, name)) ?? 'null')
    return typeof kept === 'object' && kept !== null ? { ...initial, ...kept } : initial
  } catch {
    return initial
  }
}

/** What is given up first where a draft is too large: copies of what was sent, and then the conversation and its pictures. */
const GIVEN_UP = [[], ['body'], ['body', 'exchanges', 'pictures']]

function fitting(draft: object): string | undefined {
  for (const names of GIVEN_UP) {
    const text = JSON.stringify(draft, (name, value) => {
      if (!names.includes(name)) return value as unknown
      return Array.isArray(value) ? [] : null
    })
    if (text.length <= MOST_CHARACTERS) return text
  }
  return undefined
}

/** Keeps something for the time of this window. Where it does not fit, or nothing may be kept, it is lost with the page. */
export function writeDraft(accountId: string, name: string, draft: object): void {
  try {
    const text = fitting(draft)
    if (text !== undefined) window.sessionStorage.setItem(place(accountId, name), text)
  } catch {
    // A browser that keeps nothing, or is full: what is on the page stays there.
  }
}

/** What changes, or how it follows from what is there: for what is worked out while the draft may change. */
type Change<T> = Partial<T> | ((before: T) => Partial<T>)

/**
 * State that outlives the page, in this window and for this account: what somebody has typed and not sent. For components
 * that are drawn in the browser alone.
 */
export function useDraft<T extends object>(name: string, initial: T): [T, (change: Change<T>) => void] {
  const accountId = useMe()?.accountId ?? ''
  const [draft, setDraft] = useState(() => read(accountId, name, initial))
  const change = useCallback(
    (changes: Change<T>) => setDraft((before) => ({ ...before, ...(typeof changes === 'function' ? changes(before) : changes) })),
    [],
  )
  const latest = useRef(draft)
  latest.current = draft
  useEffect(() => {
    const timer = setTimeout(() => writeDraft(accountId, name, draft), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [accountId, name, draft])
  // Whoever leaves within the pause has typed it all the same.
  useEffect(() => {
    const keep = () => writeDraft(accountId, name, latest.current)
    window.addEventListener('pagehide', keep)
    return () => {
      window.removeEventListener('pagehide', keep)
      keep()
    }
  }, [accountId, name])
  return [draft, change]
}
