'use client'
import { type RefObject, useEffect, useState } from 'react'

/** The header covers the page's top pixels. */
const UNDER_HEADER = '-56px 0px 0px 0px'

/** Whether the element is visible below the page's header. */
export function useInSight(element: RefObject<HTMLElement | null>): boolean {
  const [inSight, setInSight] = useState(true)
  useEffect(() => {
    if (element.current === null) return
    const observer = new IntersectionObserver((entries) => setInSight(entries.at(-1)?.isIntersecting ?? true), {
      rootMargin: UNDER_HEADER,
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return inSight
}
