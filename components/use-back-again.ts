import { useEffect, useRef } from 'react'

/**
 * Calls back when the reader returns with the browser's Back or Forward button and the page is restored as it was left.
 * Anything that was busy leading elsewhere is no longer busy then.
 */
export function useBackAgain(onBack: () => void): void {
  const latest = useRef(onBack)
  latest.current = onBack
  useEffect(() => {
    const back = ({ persisted }: PageTransitionEvent) => {
      if (persisted) latest.current()
    }
    window.addEventListener('pageshow', back)
    return () => window.removeEventListener('pageshow', back)
  }, [])
}
