'use client'
import { type RefObject, useEffect, useRef } from 'react'

/** This close to the end counts as the end, in pixels. */
const NEAR_PX = 24
const ROUNDED_PX = 1

/**
 * Whether to keep following the end, after the page moved by `movedPx` with `leftPx` left to the end. Scrolling up stops
 * following, by wheel, keys, scroll bar or touch. Scrolling back to the end resumes it. A page that became shorter also moves
 * up, but is still at its end then.
 */
export function followsAfter(following: boolean, movedPx: number, leftPx: number): boolean {
  if (movedPx < 0) return following && leftPx <= ROUNDED_PX
  return following || (movedPx > 0 && leftPx <= NEAR_PX)
}

/**
 * Keeps the end of the output visible while it grows, until the reader scrolls away. Returns the ref for the element at the
 * end.
 */
export function useFollowing(shown: unknown, running: boolean): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null)
  const following = useRef(false)
  // Before the other effect: the last piece of an answer, or a refusal, arrives in the same render in which `running` ends.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls whenever something has arrived
  useEffect(() => {
    if (following.current) end.current?.scrollIntoView({ block: 'end' })
  }, [shown])
  useEffect(() => {
    following.current = running
    if (!running) return
    let before = window.scrollY
    const move = () => {
      const place = end.current
      if (place === null) return
      const margin = Number.parseFloat(getComputedStyle(place).scrollMarginBottom)
      const left = place.getBoundingClientRect().bottom + margin - window.innerHeight
      const pageLeft = document.documentElement.scrollHeight - window.innerHeight - window.scrollY
      following.current = followsAfter(following.current, window.scrollY - before, Math.min(left, pageLeft))
      before = window.scrollY
    }
    window.addEventListener('scroll', move, { passive: true })
    return () => window.removeEventListener('scroll', move)
  }, [running])
  return end
}
