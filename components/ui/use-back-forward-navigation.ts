import { useEffect, useRef } from 'react'

/**
 * Reports Back and Forward navigation while `enabled`, if the browser lets a page cancel it. Not all browsers report it, and
 * they let a reader who goes back a second time leave.
 */
export function useBackForwardNavigation(enabled: boolean, onNavigate: (event: NavigateEvent) => void): void {
  const latest = useRef(onNavigate)
  latest.current = onNavigate
  useEffect(() => {
    if (!enabled || !('navigation' in window)) return
    const stop = new AbortController()
    window.navigation.addEventListener(
      'navigate',
      (event) => event.navigationType === 'traverse' && event.cancelable && latest.current(event),
      { signal: stop.signal },
    )
    return () => stop.abort()
  }, [enabled])
}
