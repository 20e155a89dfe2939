'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { useSWRConfig } from 'swr'
import { z } from 'zod'
import { type KeyRow, keyList } from '#lib/contracts/keys'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { useErrorText } from '../use-error-text.ts'
import { usePages } from '../use-pages.ts'
import { type KeyFilters, keysPath } from './key-filter-params.ts'

/** Revokes a key and reports the result. Resolves to whether it was revoked. */
export function useRevoke(): (key: KeyRow) => Promise<boolean> {
  const t = useTranslations('keys')
  const errorText = useErrorText()
  const { mutate } = useSWRConfig()
  return async (key) => {
    try {
      await sendJson('DELETE', `/api/keys/${encodeURIComponent(key.id)}`, z.unknown())
      toast.success(t('revoked', { name: key.name }), { description: t('revokedText') })
      // Lists of keys to choose from.
      void mutate('/api/keys')
      return true
    } catch (failure) {
      toast.error(t('revokeFailed', { name: key.name }), { description: errorText(failure) })
      return false
    }
  }
}

/** The matching keys of the account, paginated. Keys in use come first, newest first. */
export function useKeys(filters: KeyFilters) {
  const { mutate } = useSWRConfig()
  const send = useRevoke()
  const pages = usePages(keysPath(filters), keyList, { refreshMs: 10_000, keep: true })
  // Shown as revoked at once, and restored if the server refuses.
  const [ended, setEnded] = useState<ReadonlySet<string>>(new Set())
  const revoke = async (key: KeyRow) => {
    setEnded((before) => new Set(before).add(key.id))
    if (!(await send(key))) setEnded((before) => new Set([...before].filter((id) => id !== key.id)))
    pages.reload()
  }
  const reload = () => {
    pages.reload()
    void mutate('/api/keys')
  }
  const rows = pages.rows?.map((row) => (ended.has(row.id) ? { ...row, state: 'revoked' as const } : row))
  return { pages: { ...pages, rows }, reload, revoke }
}
