'use client'
import { useTranslations } from 'next-intl'
import { groupList, type KeyRow } from '#lib/contracts/keys'
import { exampleCurl, pickChatModel } from './curl.ts'
import { useApi } from './use-api.ts'
import { useMe } from './use-me.ts'

/** A call that works here: with this gateway's address, and a model that the key (or, without one, the default group) may use. */
export function useExample(secret?: string, key?: Pick<KeyRow, 'groupName' | 'modelAllow'>): string {
  const t = useTranslations('common')
  const me = useMe()
  const groups = useApi('/api/groups', groupList, { revalidateOnFocus: false }).data?.rows ?? []
  const group = groups.find((row) => (key === undefined ? row.isDefault : row.name === key.groupName)) ?? groups[0]
  const allowed = key?.modelAllow.length ? key.modelAllow : (group?.models ?? [])
  return exampleCurl(me?.baseUrl ?? '', pickChatModel(allowed) ?? 'model', t('greeting'), secret)
}
