'use client'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { requestPage } from '#lib/contracts/requests'
import { fetchJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { useApi } from '../use-api.ts'
import { useErrorText } from '../use-error-text.ts'
import { type Filters, PAGE_ROWS, requestsPath } from './filter-params.ts'
import { appendPage, countNew, isSamePage, type LoadedRequests, mergeFirstPage } from './merge-rows.ts'

const LIVE_POLL_MS = 3_000
/** If few requests match, each read costs more. */
const SPARSE_POLL_MS = 10_000

/**
 * The list of requests, newest first. While `live`, its first page is polled. It is merged into the list while the reader is
 * `atTop`. Otherwise the list does not move, and `fresh` counts the new rows. `loadMore` appends the next page.
 */
export function useRequests(filters: Filters, { live, atTop }: { live: boolean; atTop: boolean }) {
  const t = useTranslations('history')
  const errorText = useErrorText()
  const path = requestsPath(filters, null)
  const [kept, setKept] = useState<{ path: string; listed: LoadedRequests } | null>(null)
  const [loading, setLoading] = useState(false)
  const { data, error, mutate } = useApi(path, requestPage, {
    refreshInterval: (latest) => (live ? (latest?.lookedTo == null ? LIVE_POLL_MS : SPARSE_POLL_MS) : 0),
    revalidateOnFocus: live,
    compare: isSamePage,
  })

  // The rows belong to one set of filters. With other filters the list starts empty.
  useEffect(() => {
    if (data === undefined) return
    setKept((before) => {
      if (before?.path !== path) return { path, listed: data }
      return live && atTop ? { path, listed: mergeFirstPage(before.listed, data) } : before
    })
  }, [data, path, live, atTop])

  const listed = kept?.path === path ? kept.listed : (data ?? null)
  const loadMore = async () => {
    const from = listed?.next ?? null
    if (from === null || loading) return
    setLoading(true)
    try {
      const page = await fetchJson(requestsPath(filters, from), requestPage)
      setKept((before) => (before?.path === path ? { path, listed: appendPage(before.listed, from, page) } : before))
    } catch (failure) {
      toast.error(t('moreFailed'), { description: errorText(failure) })
    }
    setLoading(false)
  }
  const fresh = listed === null || data === undefined || !live ? 0 : countNew(listed, data)
  return { listed, error, retry: () => void mutate(), more: loadMore, loading, fresh, isFull: fresh >= PAGE_ROWS }
}
