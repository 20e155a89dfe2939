'use client'
import { ArrowUp } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { Ref } from 'react'
import { LoadFailed } from '../load-failed.tsx'
import { Button } from '../ui/button.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useFormat } from '../use-format.ts'
import { NoMatches, NoRequests } from './history-empty.tsx'
import type { LoadedRequests } from './merge-rows.ts'
import { RequestsTable } from './requests-table.tsx'
import type { OpenRequest } from './use-open-request.ts'
import type { useRequests } from './use-requests.ts'
import type { RowsHandle } from './virtual-rows.tsx'

const SKELETON_ROWS = Array.from({ length: 12 }, (_, line) => line)

const ListSkeleton = () => (
  <div>
    {SKELETON_ROWS.map((line) => (
      <div key={line} className="flex h-[37px] items-center gap-6 border-line-soft border-b">
        <Skeleton className="h-3 w-16" />
        <Skeleton className="h-3 w-44" />
        <Skeleton className="ml-auto h-3 w-20" />
      </div>
    ))}
  </div>
)

interface ListFooterProps {
  listed: LoadedRequests
  loading: boolean
  onMore: () => void
}

/** The current end of the list: its real end, the end of a page, or the point at which the search paused. */
function ListFooter({ listed, loading, onMore }: ListFooterProps) {
  const t = useTranslations('history')
  const tList = useTranslations('requests.list')
  const format = useFormat()
  if (listed.next === null) return <p className="text-second text-sm">{t('end')}</p>
  return (
    <>
      {listed.lookedTo !== null && (
        <p className="text-second text-sm">{tList('lookedTo', { time: format.moment(listed.lookedTo) })}</p>
      )}
      <Button disabled={loading} onClick={onMore}>
        {loading ? t('loadingMore') : listed.lookedTo === null ? t('loadMore') : tList('lookFurther')}
      </Button>
    </>
  )
}

interface RequestListProps {
  filtered: boolean
  requests: ReturnType<typeof useRequests>
  openId: string | null
  onOpen: OpenRequest
  /** Scrolls up to where new rows appear. */
  onTop: () => void
  narrow: boolean
  handle: Ref<RowsHandle>
}

/** The list with its loading, error and empty states, and with what is above and below it. */
export function RequestList({ filtered, requests, openId, onOpen, onTop, narrow, handle }: RequestListProps) {
  const t = useTranslations('requests.list')
  const { listed, error, retry, more, loading, fresh, isFull } = requests
  const onMore = () => void more()
  if (listed === null) return error === undefined ? <ListSkeleton /> : <LoadFailed error={error} onRetry={retry} />
  if (listed.rows.length === 0)
    return filtered ? <NoMatches lookedTo={listed.lookedTo} loading={loading} onMore={onMore} /> : <NoRequests />
  return (
    <>
      <div aria-live="polite" className="sticky top-16 z-10 -my-1.5 flex h-0 justify-center">
        {fresh > 0 && (
          <Button tone="primary" size="small" onClick={onTop} className="rounded-full shadow-float">
            <ArrowUp aria-hidden className="size-3.5" />
            {t(isFull ? 'manyNew' : 'new', { count: fresh })}
          </Button>
        )}
      </div>
      <RequestsTable rows={listed.rows} openId={openId} onOpen={onOpen} narrow={narrow} handle={handle} />
      <div className="flex flex-col items-center gap-2 py-2">
        <ListFooter listed={listed} loading={loading} onMore={onMore} />
      </div>
    </>
  )
}
