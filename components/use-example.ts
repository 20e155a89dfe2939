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
  const offered = group?.models ?? []
  // A key may still name models that its group no longer has.
  const callable = key?.modelAllow.length ? key.modelAllow.filter((model) => offered.includes(model)) : offered
  const model = callable.find((id) => id === group?.examples.chat) ?? pickChatModel(callable)
  return exampleCurl(me?.baseUrl ?? '', model ?? 'model', t('greeting'), secret)
}
