'use client'
import { type FocusEvent, type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { MOVES_BY_KEY } from './chart-span.ts'

/** A selection of bars, from where it began to where it ends, in either direction. */
export interface BarSelection {
  anchor: number
  end: number
}

/** The index of the bar under the pointer, null if there is none. */
function barIndexAt(event: PointerEvent): number | null {
  const hovered = document.elementFromPoint(event.clientX, event.clientY)
  const index = hovered?.closest<HTMLElement>('[data-bar]')?.dataset.bar
  return index === undefined ? null : Number(index)
}

/** Selects bars by pointer (drag for several) or keyboard (Shift for several). `onChosen` gets the selection. */
export function useBarSelection(last: number, onChosen: (choice: BarSelection) => void) {
  const [stored, setChoice] = useState<BarSelection | null>(null)
  // After filtering there may be fewer bars than before, even if the pointer has not moved.
  const choice = stored !== null && Math.max(stored.anchor, stored.end) <= last ? stored : null
  const [dragging, setDragging] = useState(false)
  const [stop, setStop] = useState(last)
  const latest = useRef({ choice, onChosen })
  useEffect(() => {
    latest.current = { choice, onChosen }
  })
  // The pointer may leave the bars before the button is released.
  useEffect(() => {
    if (!dragging) return
    const endDrag = (event: Event) => {
      setDragging(false)
      const { choice: chosen, onChosen: notify } = latest.current
      if (event.type === 'pointerup' && chosen !== null) notify(chosen)
    }
    for (const name of ['pointerup', 'pointercancel']) window.addEventListener(name, endDrag)
    return () => {
      for (const name of ['pointerup', 'pointercancel']) window.removeEventListener(name, endDrag)
    }
  }, [dragging])

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const at = Math.min(choice?.end ?? stop, last)
    const move = MOVES_BY_KEY[event.key]
    if (event.key === 'Enter' || event.key === ' ') onChosen(choice ?? { anchor: at, end: at })
    else if (move === undefined) return
    event.preventDefault()
    if (move === undefined) return
    const next = move(at, last)
    setChoice({ anchor: event.shiftKey ? (choice?.anchor ?? at) : next, end: next })
    setStop(next)
    event.currentTarget.querySelectorAll<HTMLElement>('[data-bar]')[next]?.focus()
  }
  const onPointerMove = (event: PointerEvent) => {
    const place = barIndexAt(event)
    if (place !== null) setChoice(dragging && choice !== null ? { ...choice, end: place } : { anchor: place, end: place })
  }
  const onPointerDown = (event: PointerEvent) => {
    const place = barIndexAt(event)
    if (event.button !== 0 || place === null) return
    setChoice({ anchor: place, end: place })
    setDragging(true)
  }
  return {
    choice,
    /** The index of the bar at which the Tab key stops. */
    stop: Math.min(stop, last),
    handlers: {
      ...{ onKeyDown, onPointerMove, onPointerDown },
      // Moving from bar to bar keeps the focus inside.
      onBlur: (event: FocusEvent<HTMLElement>) =>
        !dragging && !event.currentTarget.contains(event.relatedTarget) && setChoice(null),
      onPointerLeave: () => !dragging && setChoice(null),
    },
  }
}
