'use client'
import { type RefObject, useEffect, useRef } from 'react'

/** This close to the end counts as the end, in pixels. */
const NEAR_PX = 24
const ROUNDING_PX = 1

/**
 * Whether to keep following the end, after the page moved by `movedPx` with `leftPx` left to the end. Scrolling up stops
 * following, by wheel, keys, scroll bar or touch. Scrolling back to the end resumes it. A page that became shorter also moves
 * up, but is still at its end then.
 */
export function shouldFollow(following: boolean, movedPx: number, leftPx: number): boolean {
  if (movedPx < 0) return following && leftPx <= ROUNDING_PX
  return following || (movedPx > 0 && leftPx <= NEAR_PX)
}

/**
 * Keeps the end of the output visible while it grows, until the reader scrolls away. Returns the ref for the element at the
 * end.
 */
export function useStickToBottom(content: unknown, running: boolean): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null)
  const following = useRef(false)
  // Before the other effect: the last piece of an answer, or a refusal, arrives in the same render in which `running` ends.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls whenever something has arrived
  useEffect(() => {
    if (following.current) end.current?.scrollIntoView({ block: 'end' })
  }, [content])
  useEffect(() => {
    following.current = running
    if (!running) return
    let lastScrollY = window.scrollY
    const onScroll = () => {
      const element = end.current
      if (element === null) return
      const margin = Number.parseFloat(getComputedStyle(element).scrollMarginBottom)
      const left = element.getBoundingClientRect().bottom + margin - window.innerHeight
      const pageLeft = document.documentElement.scrollHeight - window.innerHeight - window.scrollY
      following.current = shouldFollow(following.current, window.scrollY - lastScrollY, Math.min(left, pageLeft))
      lastScrollY = window.scrollY
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => window.removeEventListener('scroll', onScroll)
  }, [running])
  return end
}
