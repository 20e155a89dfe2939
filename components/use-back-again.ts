import { useEffect, useRef } from 'react'

/**
 * Calls back when the reader comes to this page with the browser's button and finds it as it was left: what was busy with
 * leading elsewhere is not any more.
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
