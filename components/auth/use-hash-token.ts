'use client'
import { useEffect, useState } from 'react'

/**
 * The token after the `#` of an emailed address. Undefined until it was looked for, null if there is none. It is removed from
 * the address at once, so that it stays neither in the browser's history nor visible in the window. After a reload there is none,
 * and the page says to open the link again.
 */
export function useHashToken(name: string): string | null | undefined {
  const [token, setToken] = useState<string | null | undefined>(undefined)
  useEffect(() => {
    const read = () => {
      const found = new URLSearchParams(window.location.hash.slice(1)).get(name)
      if (found === null) return setToken((known) => known ?? null)
      setToken(found)
      window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
    }
    read()
    window.addEventListener('hashchange', read)
    return () => window.removeEventListener('hashchange', read)
  }, [name])
  return token
}
