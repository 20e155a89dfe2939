'use client'
import { type RefObject, useEffect, useRef } from 'react'

/** So near to the end is at the end, in pixels: screens of other densities round. */
const NEAR_PX = 24
const ROUNDED_PX = 1

/**
 * Whether the end is followed after the page has moved by so many pixels, with so many left to the end. Whoever moves up
 * leaves it, by wheel, keys, bar or finger; whoever comes back to it follows again. A page that has become shorter moves up
 * too, and ends at its end.
 */
export function followsAfter(following: boolean, movedPx: number, leftPx: number): boolean {
  if (movedPx < 0) return following && leftPx <= ROUNDED_PX
  return following || (movedPx > 0 && leftPx <= NEAR_PX)
}

/** Keeps the end of what comes in sight while it runs, until the reader goes elsewhere. Answers the place to keep at the end. */
export function useFollowing(shown: unknown, running: boolean): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null)
  const following = useRef(false)
  // Before the other one: what ends an answer, a refusal too, comes as the running ends.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something has come
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
