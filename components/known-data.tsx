'use client'
import { type ReactNode, useMemo } from 'react'
import { SWRConfig } from 'swr'

interface KnownDataProps {
  /** Answers of the console's API by their addresses, as the server had them when it made the page. */
  data: Record<string, unknown>
  children: ReactNode
}

/** Lets what is inside show these answers from the first paint on. It asks again all the same. */
export function KnownData({ data, children }: KnownDataProps) {
  const config = useMemo(() => ({ fallback: data }), [data])
  return <SWRConfig value={config}>{children}</SWRConfig>
}
