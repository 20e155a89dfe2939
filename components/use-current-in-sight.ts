'use client'
import { type RefObject, useEffect, useRef } from 'react'

/** For a list of pages that may be longer than there is room for: brings the one that is open at `path` into sight. */
export function useCurrentInSight<List extends HTMLElement>(path: string): RefObject<List | null> {
  const list = useRef<List>(null)
  useEffect(() => {
    if (path !== '') list.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [path])
  return list
}
