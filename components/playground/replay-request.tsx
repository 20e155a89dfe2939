'use client'
import { History } from 'lucide-react'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect } from 'react'
import { requestDetail } from '#lib/contracts/requests'
import { LoadFailed } from '../load-failed.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { useApi } from '../use-api.ts'
import { useMe } from '../use-me.ts'
import { readDraft } from './read-media-replay.ts'
import { writeDraft } from './use-draft.ts'

/** Fills the playground with a request from the history, and is then replaced by it. */
export function ReplayRequest({ id, ghost }: { id: string; ghost: ReactNode }) {
  const t = useTranslations('playground')
  const accountId = useMe()?.accountId
  const { data, error, mutate } = useApi(`/api/requests/${encodeURIComponent(id)}`, requestDetail, { revalidateOnFocus: false })
  const replayed = data?.history ? readDraft(data.endpoint, data.history.request) : null
  useEffect(() => {
    if (data === undefined || replayed === null || accountId === undefined) return
    writeDraft(accountId, replayed.name, replayed.draft)
    const { mode } = replayed
    updateSearchParams({
      from: null,
      mode: mode === 'chat' ? null : mode,
      model: data.model,
      group: data.receipt.groupName,
      compare: null,
      task: null,
    })
  })
  if (data === undefined && error !== undefined) return <LoadFailed error={error} onRetry={() => void mutate()} />
  if (data === undefined || replayed !== null) return ghost
  return (
    <EmptyState
      icon={<History />}
      title={t('noReplayTitle')}
      text={data.history === null ? t('noReplayKept') : t('noReplayMode', { endpoint: data.endpoint })}
    >
      <div className="flex flex-wrap justify-center gap-2">
        <Button asChild>
          <Link href={`/history?id=${encodeURIComponent(id)}`}>{t('toRecord')}</Link>
        </Button>
        <Button onClick={() => updateSearchParams({ from: null })}>{t('toPlayground')}</Button>
      </div>
    </EmptyState>
  )
}
