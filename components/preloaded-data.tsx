'use client'
import { type ReactNode, useMemo } from 'react'
import { SWRConfig } from 'swr'

interface PreloadedDataProps {
  /** Responses of the console's API by address, as the server had them when it rendered the page. */
  data: Record<string, unknown>
  children: ReactNode
}

/** Lets the children show these responses from the first paint on. They are still requested again. */
export function PreloadedData({ data, children }: PreloadedDataProps) {
  const config = useMemo(() => ({ fallback: data }), [data])
  return <SWRConfig value={config}>{children}</SWRConfig>
}
