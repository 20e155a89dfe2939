'use client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useMe } from '../use-me.ts'

/** A larger draft is not stored, because it could displace everything else that the browser keeps for the page. */
const MAX_CHARACTERS = 3_000_000
const SAVE_DELAY_MS = 250

const storageKey = (accountId: string, name: string): string => `tollgate.playground.1.${accountId}.${name}`

/** What is stored under a name, merged into the initial state. */
function loadDraft<T extends object>(accountId: string, name: string, initial: T): T {
  try {
    const stored: unknown = JSON.parse(window.sessionStorage.getItem(storageKey(accountId, name)) ?? 'null')
    return typeof stored === 'object' && stored !== null ? { ...initial, ...stored } : initial
  } catch {
    return initial
  }
}

/** What is dropped if a draft is too large: first the copies of request bodies, then the images of answers, then the conversation as well. */
const DROPPED_FIELDS = [[], ['body'], ['body', 'images'], ['body', 'exchanges', 'pictures']]

function serializeWithinLimit(draft: object): string | undefined {
  for (const names of DROPPED_FIELDS) {
    const text = JSON.stringify(draft, (name, value) => {
      if (!names.includes(name)) return value as unknown
      return Array.isArray(value) ? [] : null
    })
    if (text.length <= MAX_CHARACTERS) return text
  }
  return undefined
}

/** Stores a draft for this window. If it does not fit or the browser does not allow storage, it is lost with the page. */
export function writeDraft(accountId: string, name: string, draft: object): void {
  try {
    const text = serializeWithinLimit(draft)
    if (text !== undefined) window.sessionStorage.setItem(storageKey(accountId, name), text)
  } catch {
    // The browser does not allow storage, or it is full. The page keeps its state.
  }
}

/** The changed fields, or a function that derives them, for changes that are computed while the draft may change. */
type Change<T> = Partial<T> | ((before: T) => Partial<T>)

/**
 * State that outlives the page, for this window and this account: what was typed but not sent. For components that render only
 * in the browser.
 */
export function useDraft<T extends object>(name: string, initial: T): [T, (change: Change<T>) => void] {
  const accountId = useMe()?.accountId ?? ''
  const [draft, setDraft] = useState(() => loadDraft(accountId, name, initial))
  const change = useCallback(
    (changes: Change<T>) => setDraft((before) => ({ ...before, ...(typeof changes === 'function' ? changes(before) : changes) })),
    [],
  )
  const latest = useRef(draft)
  latest.current = draft
  useEffect(() => {
    const timer = setTimeout(() => writeDraft(accountId, name, draft), SAVE_DELAY_MS)
    return () => clearTimeout(timer)
  }, [accountId, name, draft])
  // Keeps what was typed even if the page is left before the pause is over.
  useEffect(() => {
    const saveNow = () => writeDraft(accountId, name, latest.current)
    window.addEventListener('pagehide', saveNow)
    return () => {
      window.removeEventListener('pagehide', saveNow)
      saveNow()
    }
  }, [accountId, name])
  return [draft, change]
}
