'use client'
import { type RefObject, useEffect, useState } from 'react'

/** The header covers the page's top pixels. */
const HEADER_MARGIN = '-56px 0px 0px 0px'

/** Whether the element is visible below the page's header. */
export function useIsVisible(element: RefObject<HTMLElement | null>): boolean {
  const [isVisible, setInSight] = useState(true)
  useEffect(() => {
    if (element.current === null) return
    const observer = new IntersectionObserver((entries) => setInSight(entries.at(-1)?.isIntersecting ?? true), {
      rootMargin: HEADER_MARGIN,
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return isVisible
}
