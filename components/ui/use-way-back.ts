import { useEffect, useRef } from 'react'

/**
 * Reports Back and Forward navigation while `watching`, if the browser lets a page cancel it. Not all browsers report it, and
 * they let a reader who goes back a second time leave.
 */
export function useWayBack(watching: boolean, onWayBack: (event: NavigateEvent) => void): void {
  const latest = useRef(onWayBack)
  latest.current = onWayBack
  useEffect(() => {
    if (!watching || !('navigation' in window)) return
    const stop = new AbortController()
    window.navigation.addEventListener(
      'navigate',
      (event) => event.navigationType === 'traverse' && event.cancelable && latest.current(event),
      { signal: stop.signal },
    )
    return () => stop.abort()
  }, [watching])
}
