'use client'
import { useCallback, useLayoutEffect, useRef } from 'react'
import { rowLinkOf } from './use-row-shortcuts.ts'

const topOf = (id: string): number | null => rowLinkOf(id)?.getBoundingClientRect().top ?? null

/**
 * Keeps a row in place while the panel next to the list opens or closes, which changes the width of the list and the height of
 * what is above it. Call the returned function just before, with the row and with the id that will be open.
 */
export function useRowAnchor(openId: string | null): (id: string, next: string | null) => void {
  const anchor = useRef<{ id: string; top: number; next: string | null } | null>(null)
  useLayoutEffect(() => {
    if (anchor.current === null || anchor.current.next !== openId) return
    const { id, top } = anchor.current
    anchor.current = null
    const newTop = topOf(id)
    if (newTop !== null) window.scrollBy({ top: newTop - top, behavior: 'instant' })
  }, [openId])
  return useCallback((id, next) => {
    const top = topOf(id)
    anchor.current = top === null ? null : { id, top, next }
  }, [])
}
