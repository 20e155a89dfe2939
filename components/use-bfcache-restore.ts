import { useEffect, useRef } from 'react'

/**
 * Calls back when the reader returns with the browser's Back or Forward button and the page is restored as it was left.
 * Anything that was busy leading elsewhere is no longer busy then.
 */
export function useBfcacheRestore(onRestore: () => void): void {
  const latest = useRef(onRestore)
  latest.current = onRestore
  useEffect(() => {
    const handlePageShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) latest.current()
    }
    window.addEventListener('pageshow', handlePageShow)
    return () => window.removeEventListener('pageshow', handlePageShow)
  }, [])
}
