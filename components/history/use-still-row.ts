'use client'
import { useCallback, useLayoutEffect, useRef } from 'react'
import { linkOf } from './use-row-keys.ts'

const topOf = (id: string): number | null => linkOf(id)?.getBoundingClientRect().top ?? null

/**
 * Keeps a row where it is while the panel beside the list opens or closes: the list gets another width, and what stands above
 * it another height. The answer is called just before, with the row and with what will be open.
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
