'use client'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useCallback, useRef } from 'react'
import { LoadFailed } from '../load-failed.tsx'
import { BalanceChip } from '../shell/balance-chip.tsx'
import { Notices } from '../shell/notices.tsx'
import { PageHeader } from '../shell/page-header.tsx'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Dot, Tag } from '../ui/tag.tsx'
import { useMedia } from '../use-media.ts'
import { writeAddress } from '../write-address.ts'
import { ActivityStrip } from './activity-strip.tsx'
import { FilterBar } from './filters.tsx'
import { NoMatches, NoRequests } from './history-empty.tsx'
import { RequestPanel } from './request-panel.tsx'
import { RequestsTable } from './requests-table.tsx'
import { useInSight } from './use-in-sight.ts'
import { type Filters, useRequests } from './use-requests.ts'
import { useRowKeys } from './use-row-keys.ts'

const GHOSTS = Array.from({ length: 12 }, (_, line) => line)

const ListGhost = () => (
  <div>
    {GHOSTS.map((line) => (
      <div key={line} className="flex h-[37px] items-center gap-6 border-line-soft border-b">
        <Skeleton className="h-3 w-16" />
        <Skeleton className="h-3 w-44" />
        <Skeleton className="ml-auto h-3 w-20" />
      </div>
    ))}
  </div>
)

/** What the address says: the filters and the open request. */
function useAddress(): { filters: Filters; openId: string | null } {
  const params = useSearchParams()
  const status = params.get('status')
  return {
    filters: {
      model: params.get('model'),
      key: params.get('key'),
      status: status === 'ok' || status === 'error' ? status : null,
    },
    openId: params.get('id'),
  }
}

function LiveTag({ live }: { live: boolean }) {
  const t = useTranslations('history')
  return (
    <Tag tone={live ? 'good' : 'plain'} className="px-2 py-1">
      <Dot tone={live ? 'good' : 'plain'} className="size-2" />
      {live ? t('live') : t('paused')}
    </Tag>
  )
}

interface ListProps {
  filtered: boolean
  requests: ReturnType<typeof useRequests>
  openId: string | null
  onOpen: (id: string) => void
  narrow: boolean
}

function List({ filtered, requests, openId, onOpen, narrow }: ListProps) {
  const t = useTranslations('history')
  const { listed, error, retry, more, loading } = requests
  if (listed === null) return error === undefined ? <ListGhost /> : <LoadFailed error={error} onRetry={retry} />
  if (listed.rows.length === 0) return filtered ? <NoMatches /> : <NoRequests />
  return (
    <>
      <ActivityStrip rows={listed.rows} open={listed.rows.find((row) => row.id === openId)} />
      <RequestsTable rows={listed.rows} openId={openId} onOpen={onOpen} narrow={narrow} />
      <div className="flex justify-center py-2">
        {listed.next === null ? (
          <p className="text-second text-sm">{t('end')}</p>
        ) : (
          <Button disabled={loading} onClick={() => void more()}>
            {loading ? t('loadingMore') : t('loadMore')}
          </Button>
        )}
      </div>
    </>
  )
}

/** Every request, as it comes in, with the whole truth about the one that is open. */
export function HistoryPage() {
  const t = useTranslations('history')
  const { filters, openId } = useAddress()
  const top = useRef<HTMLDivElement>(null)
  const live = useInSight(top)
  const wide = useMedia('(min-width: 64rem)')
  const requests = useRequests(filters, live)
  const rows = requests.listed?.rows ?? []
  const filtered = Object.values(filters).some((value) => value !== null)
  const open = useCallback((id: string) => {
    // The first opening can be gone back from; moving on from row to row leaves no trail.
    const first = !new URLSearchParams(window.location.search).has('id')
    writeAddress({ id }, first ? 'push' : 'replace')
  }, [])
  const close = useCallback(() => writeAddress({ id: null }), [])
  useRowKeys({ rows, onOpen: open, onClose: close })
  const docked = wide && openId !== null
  return (
    <div className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={t('title')} aside={<LiveTag live={live && requests.error === undefined} />}>
        <BalanceChip />
      </PageHeader>
      <Notices />
      <div className="flex min-w-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col gap-4 px-4 py-5 sm:px-6">
          <div ref={top} className="min-h-px">
            {(filtered || requests.listed?.rows.length !== 0) && <FilterBar filters={filters} />}
          </div>
          <List filtered={filtered} requests={requests} openId={openId} onOpen={open} narrow={docked} />
        </div>
        {docked && (
          <aside
            aria-label={t('panel')}
            className="sticky top-14 h-[calc(100dvh-3.5rem)] w-[400px] shrink-0 overflow-y-auto border-l bg-panel"
          >
            <RequestPanel id={openId} onClose={close} withKeys />
          </aside>
        )}
      </div>
      {!wide && (
        <Sheet
          open={openId !== null}
          onOpenChange={close}
          title={t('panel')}
          side="right"
          className="w-full bg-panel sm:w-[440px]"
        >
          {openId !== null && <RequestPanel id={openId} onClose={close} withKeys={false} />}
        </Sheet>
      )}
    </div>
  )
}
