'use client'
import { useTranslations } from 'next-intl'
import { z } from 'zod'
import { type CreatedKey, type KeyRow, keyList } from '#lib/contracts/keys'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { useApi } from '../use-api.ts'
import { useErrorText } from '../use-error-text.ts'

/** The account's keys, newest first, and what can be done to them. */
export function useKeys() {
  const t = useTranslations('keys')
  const errorText = useErrorText()
  const { data, error, mutate } = useApi('/api/keys', keyList, { refreshInterval: 10_000 })

  const add = (created: CreatedKey) => mutate((list) => ({ rows: [created.key, ...(list?.rows ?? [])] }), { revalidate: true })

  /** Shows the key as revoked at once, and as it was should the server refuse. Whether it is revoked. */
  const revoke = async (key: KeyRow) => {
    const revoked = (rows: KeyRow[]) => rows.map((row) => (row.id === key.id ? { ...row, state: 'revoked' as const } : row))
    try {
      await mutate(
        async (list) => {
          await sendJson('DELETE', `/api/keys/${encodeURIComponent(key.id)}`, z.unknown())
          return { rows: revoked(list?.rows ?? []) }
        },
        { optimisticData: (list) => ({ rows: revoked(list?.rows ?? []) }), rollbackOnError: true },
      )
      toast.success(t('revoked', { name: key.name }), { description: t('revokedText') })
      return true
    } catch (failure) {
      toast.error(t('revokeFailed', { name: key.name }), { description: errorText(failure) })
      return false
    }
  }
  return { keys: data?.rows, error, retry: () => void mutate(), add, revoke }
}
