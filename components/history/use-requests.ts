'use client'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { toast } from 'sonner'
import { requestPage } from '#lib/contracts/requests'
import { fetchJson } from '../fetch-json.ts'
import { useApi } from '../use-api.ts'
import { useErrorText } from '../use-error-text.ts'
import { appendPage, type Listed, mergeFirstPage } from './merge-rows.ts'

export interface Filters {
  model: string | null
  key: string | null
  status: string | null
}

const PAGE_ROWS = 50
const LIVE_MS = 3_000

function pathOf(filters: Filters, before: string | null): string {
  const params = new URLSearchParams({ limit: String(PAGE_ROWS) })
  for (const [name, value] of Object.entries({ ...filters, before })) if (value !== null) params.set(name, value)
  return `/api/requests?${params}`
}

/**
 * The list of requests, newest first. While `live` its first page is read again and again and put over
 * what is there; `more` adds the next page at the end.
 */
export function useRequests(filters: Filters, live: boolean) {
  const t = useTranslations('history')
  const errorText = useErrorText()
  const path = pathOf(filters, null)
  const [kept, setKept] = useState<{ path: string; listed: Listed } | null>(null)
  const [loading, setLoading] = useState(false)
  const { data, error, mutate } = useApi(path, requestPage, { refreshInterval: live ? LIVE_MS : 0 })

  // What is kept belongs to one set of filters; with others the list starts from nothing.
  useEffect(() => {
    if (data === undefined) return
    setKept((before) => ({ path, listed: mergeFirstPage(before?.path === path ? before.listed : null, data) }))
  }, [data, path])

  const listed = kept?.path === path ? kept.listed : (data ?? null)
  const more = async () => {
    if (listed?.next == null || loading) return
    setLoading(true)
    try {
      const page = await fetchJson(pathOf(filters, listed.next), requestPage)
      setKept((before) => (before?.path === path ? { path, listed: appendPage(before.listed, page) } : before))
    } catch (failure) {
      toast.error(t('moreFailed'), { description: errorText(failure) })
    }
    setLoading(false)
  }
  return { listed, error, retry: () => void mutate(), more, loading }
}
