'use client'
import { useCallback, useLayoutEffect, useRef } from 'react'
import { linkOf } from './use-row-keys.ts'

const topOf = (id: string): number | null => linkOf(id)?.getBoundingClientRect().top ?? null

/**
 * Keeps a row in place while the panel next to the list opens or closes, which changes the width of the list and the height of
 * what is above it. Call the returned function just before, with the row and with the id that will be open.
 */
export function useStillRow(openId: string | null): (id: string, next: string | null) => void {
  const noted = useRef<{ id: string; top: number; next: string | null } | null>(null)
  useLayoutEffect(() => {
    if (noted.current === null || noted.current.next !== openId) return
    const { id, top } = noted.current
    noted.current = null
    const now = topOf(id)
    if (now !== null) window.scrollBy({ top: now - top, behavior: 'instant' })
  }, [openId])
  return useCallback((id, next) => {
    const top = topOf(id)
    noted.current = top === null ? null : { id, top, next }
  }, [])
}
