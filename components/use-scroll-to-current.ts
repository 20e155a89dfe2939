'use client'
import { type RefObject, useEffect, useRef } from 'react'

const isScrolled = (element: HTMLElement | null | undefined): boolean =>
  element != null && (element.scrollTop > 0 || element.scrollLeft > 0)

/** Scrolls a list of pages that may overflow so that the page that is open at `path` is visible. */
export function useScrollToCurrent<List extends HTMLElement>(path: string): RefObject<List | null> {
  const list = useRef<List>(null)
  const hasRun = useRef(false)
  useEffect(() => {
    if (path === '') return
    // A reader who scrolled before the scripts ran is about to click something, and it must not move away.
    const hasUserScrolled = !hasRun.current && (isScrolled(list.current) || isScrolled(list.current?.parentElement))
    hasRun.current = true
    if (!hasUserScrolled)
      list.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [path])
  return list
}
