'use client'
import { useCallback } from 'react'
import { useSWRConfig } from 'swr'
import useSWRInfinite, { unstable_serialize } from 'swr/infinite'
import type { z } from 'zod'
import { fetchJson } from './fetch-json.ts'

interface Page<Row> {
  rows: Row[]
  /** What comes before the next page; null on the last one. */
  next: string | null
}

/** What of a list is there by now. */
export interface Pages<Row> {
  /** Undefined until the first page is there. */
  rows: readonly Row[] | undefined
  /** Whether they are those of the address before, until those of the new one are there. */
  isOld: boolean
  error: unknown
  /** Reads one page more, or again the one that failed; null where there is none. */
  more: (() => void) | null
  /** Why the page that was asked for last is not there; undefined where it is, or is on its way. */
  failed: unknown
  loading: boolean
  /** Reads all of it anew. The same function each time. */
  reload: () => void
}

interface Options {
  /** How often what is shown is read again, all pages of it. */
  refreshMs: number
  /** Shows the old rows until those of a changed address are there. Should that fail they go: they are no answer to it. */
  keep?: boolean
}

/** A list that is read page by page, newest first. `first` is the address of its first page. */
export function usePages<Row>(first: string, shape: z.ZodType<Page<Row>>, { refreshMs, keep = false }: Options): Pages<Row> {
  const { cache, fallback } = useSWRConfig()
  const { data, error, size, setSize, mutate, isValidating } = useSWRInfinite(
    (at: number, before: Page<Row> | null) => {
      if (at === 0) return first
      return before?.next ? `${first}${first.includes('?') ? '&' : '?'}before=${encodeURIComponent(before.next)}` : null
    },
    (address: string) => fetchJson(address, shape),
    { refreshInterval: refreshMs, keepPreviousData: keep, revalidateAll: true },
  )
  const reload = useCallback(() => void mutate(), [mutate])
  const key = unstable_serialize(() => first)
  const isOld = data !== undefined && cache.get(key)?.data === undefined && fallback[key] === undefined
  return {
    rows: isOld && error !== undefined ? undefined : data?.flatMap((page) => page.rows),
    isOld,
    error: error as unknown,
    more: !isOld && data?.at(-1)?.next != null ? () => void setSize(data.length + 1) : null,
    failed: !isValidating && data !== undefined && data.length < size ? (error as unknown) : undefined,
    loading: isValidating,
    reload,
  }
}
