'use client'
import { useCallback } from 'react'
import { useSWRConfig } from 'swr'
import useSWRInfinite, { unstable_serialize } from 'swr/infinite'
import type { z } from 'zod'
import { fetchJson } from './fetch-json.ts'

interface Page<Row> {
  rows: Row[]
  /** The cursor of the next page, null on the last one. */
  next: string | null
}

/** The part of a list that has been loaded. */
export interface Pages<Row> {
  /** Undefined until the first page has loaded. */
  rows: readonly Row[] | undefined
  /** Whether they belong to the previous address, because those of the new one have not loaded yet. */
  isOld: boolean
  error: unknown
  /** Loads the next page, or retries the one that failed. Null if there is none. */
  loadMore: (() => void) | null
  /** Why the page that was requested last could not be loaded. Undefined if it was loaded or is loading. */
  failed: unknown
  loading: boolean
  /** Reloads the whole list. Always the same function. */
  reload: () => void
}

interface Options {
  /** The interval in which all loaded pages are reloaded. */
  refreshMs: number
  /**
   * Keeps the old rows until those of a changed address have loaded. If that fails they are dropped, because they do not belong
   * to it.
   */
  keep?: boolean
}

/** A paginated list, newest first. `firstUrl` is the address of its first page. */
export function usePages<Row>(firstUrl: string, schema: z.ZodType<Page<Row>>, { refreshMs, keep = false }: Options): Pages<Row> {
  const { cache, fallback } = useSWRConfig()
  const { data, error, size, setSize, mutate, isValidating } = useSWRInfinite(
    (index: number, previous: Page<Row> | null) => {
      if (index === 0) return firstUrl
      return previous?.next ? `${firstUrl}${firstUrl.includes('?') ? '&' : '?'}before=${encodeURIComponent(previous.next)}` : null
    },
    (url: string) => fetchJson(url, schema),
    { refreshInterval: refreshMs, keepPreviousData: keep, revalidateAll: true },
  )
  const reload = useCallback(() => void mutate(), [mutate])
  const key = unstable_serialize(() => firstUrl)
  const isOld = data !== undefined && cache.get(key)?.data === undefined && fallback[key] === undefined
  return {
    rows: isOld && error !== undefined ? undefined : data?.flatMap((page) => page.rows),
    isOld,
    error: error as unknown,
    loadMore: !isOld && data?.at(-1)?.next != null ? () => void setSize(data.length + 1) : null,
    failed: !isValidating && data !== undefined && data.length < size ? (error as unknown) : undefined,
    loading: isValidating,
    reload,
  }
}
