'use client'
import { type RefObject, useEffect, useRef } from 'react'

const isScrolled = (element: HTMLElement | null | undefined): boolean =>
  element != null && (element.scrollTop > 0 || element.scrollLeft > 0)

/** For a list of pages that may be longer than there is room for: brings the one that is open at `path` into sight. */
export function useCurrentInSight<List extends HTMLElement>(path: string): RefObject<List | null> {
  const list = useRef<List>(null)
  const shown = useRef(false)
  useEffect(() => {
    if (path === '') return
    // Whoever scrolled before this page's scripts ran is reaching for something, and it must not move away under a click.
    const reaching = !shown.current && (isScrolled(list.current) || isScrolled(list.current?.parentElement))
    shown.current = true
    if (!reaching) list.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [path])
  return list
}
