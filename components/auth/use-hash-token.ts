'use client'
import { useEffect, useState } from 'react'

/**
 * The token behind the `#` of a mailed address; undefined until it was looked for, null without one. It is taken out of the
 * address at once, so that neither the history nor anybody who looks at the window keeps it.
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
