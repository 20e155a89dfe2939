'use client'
import { Pause, Play, Settings2 } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { lazy, type RefObject, Suspense, useMemo, useRef, useState } from 'react'
import { historySettings } from '#lib/contracts/history'
import { notLoaded } from '../not-loaded.tsx'
import { BalanceChip } from '../shell/balance-chip.tsx'
import { PageHeader } from '../shell/page-header.tsx'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { useApi } from '../use-api.ts'
import { useMediaQuery } from '../use-media-query.ts'
import { HistoryChart } from './chart.tsx'
import { filterQuery, readFilters } from './filter-params.ts'
import { FilterBar, OPEN_FILTERS_EVENT } from './filters.tsx'
import { PanelSkeleton } from './panel-skeleton.tsx'
import { RequestList } from './requests-list.tsx'
import { RunningTasks } from './running-tasks.tsx'
import { focusSearch } from './search-field.tsx'
import { useIsVisible } from './use-is-visible.ts'
import { useOpenRequest } from './use-open-request.ts'
import { useRequests } from './use-requests.ts'
import { useRowShortcuts } from './use-row-shortcuts.ts'
import { ViewsBar } from './views-bar.tsx'
import type { RowsHandle } from './virtual-rows.tsx'

// The list loads faster without the panel, which is only needed when a request is opened.
const RequestPanel = lazy(async () => ({
  default: await import('./request-panel.tsx').then((module) => module.RequestPanel).catch(notLoaded),
}))
const SettingsDialog = lazy(async () => ({
  default: await import('./settings-dialog.tsx').then((module) => module.SettingsDialog).catch(notLoaded),
}))

/** Switches whether new requests appear automatically. */
function LiveSwitch({ live, onChange }: { live: boolean; onChange: (live: boolean) => void }) {
  const t = useTranslations('history')
  const tRequests = useTranslations('requests')
  const Icon = live ? Pause : Play
  return (
    <Button
      size="small"
      title={tRequests(live ? 'pause' : 'resume')}
      onClick={() => onChange(!live)}
      className={live ? 'bg-tint text-accent' : 'text-second'}
    >
      {live && <span aria-hidden className="size-2 animate-wait forced-color-adjust-none rounded-full bg-accent" />}
      <span className="max-sm:sr-only">{live ? t('live') : t('paused')}</span>
      <span className="sr-only">: {tRequests(live ? 'pause' : 'resume')}</span>
      <Icon aria-hidden className="size-3" />
    </Button>
  )
}

/** Shown if messages are not kept. */
function HistoryOffNotice({ onOpen }: { onOpen: () => void }) {
  const t = useTranslations('requests.settings')
  const { data } = useApi('/api/history/settings', historySettings)
  if (data?.enabled !== false) return null
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-warn-tint px-3 py-2 text-warn-ink">
      {t('off')}
      <button type="button" onClick={onOpen} className="rounded-sm font-medium underline underline-offset-4">
        {t('open')}
      </button>
    </p>
  )
}

interface OpenRequestProps {
  id: string
  onClose: () => void
  withKeys: boolean
}

const OpenRequest = (props: OpenRequestProps) => (
  <Suspense
    fallback={
      <div className="p-4 sm:p-[22px]">
        <PanelSkeleton />
      </div>
    }
  >
    <RequestPanel {...props} />
  </Suspense>
)

interface PanelProps {
  id: string | null
  onClose: () => void
  wide: boolean
  aside: RefObject<HTMLElement | null>
}

function Panel({ id, onClose, wide, aside }: PanelProps) {
  const t = useTranslations('history')
  if (!wide)
    return (
      <Sheet open={id !== null} onOpenChange={onClose} title={t('panel')} side="right" className="w-full bg-panel sm:w-[440px]">
        {id !== null && <OpenRequest id={id} onClose={onClose} withKeys={false} />}
      </Sheet>
    )
  if (id === null) return null
  return (
    <aside
      ref={aside}
      tabIndex={-1}
      aria-label={t('panel')}
      className="sticky top-14 h-[calc(100dvh-3.5rem)] w-[400px] shrink-0 overflow-y-auto border-l bg-panel outline-none focus-visible:outline-2 focus-visible:outline-accent focus-visible:-outline-offset-2 2xl:w-[480px]"
    >
      <OpenRequest id={id} onClose={onClose} withKeys />
    </aside>
  )
}

const showFilters = () => void window.dispatchEvent(new Event(OPEN_FILTERS_EVENT))

/** The history page: all requests as they come in, and every detail of the one that is open. */
export function HistoryPage() {
  const t = useTranslations('history')
  const tRequests = useTranslations('requests')
  const params = useSearchParams()
  const openId = params.get('id')
  const filters = useMemo(() => readFilters(new URLSearchParams(params.toString())), [params])
  const [live, setLive] = useState(true)
  const [settingsOpen, setSettingsOpen] = useState(false)
  const top = useRef<HTMLDivElement>(null)
  const list = useRef<RowsHandle>(null)
  const atTop = useIsVisible(top)
  const wide = useMediaQuery('(min-width: 64rem)')
  const requests = useRequests(filters, { live, atTop })
  const rows = requests.listed?.rows ?? []
  const filtered = filterQuery(filters) !== ''
  const aside = useRef<HTMLElement>(null)
  const { open, close } = useOpenRequest(openId, aside)
  useRowShortcuts({
    ...{ rows, onOpen: open, onClose: close, onSearch: focusSearch, onFilter: showFilters },
    onMore: () => void requests.more(),
    onShow: (index) => list.current?.show(index),
  })
  const isEmpty = !filtered && requests.listed !== null && rows.length === 0
  const openSettings = () => setSettingsOpen(true)
  return (
    <div className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={t('title')} aside={<LiveSwitch live={live && requests.error === undefined} onChange={setLive} />}>
        <Button size="icon" tone="ghost" aria-label={tRequests('settings.title')} onClick={openSettings}>
          <Settings2 aria-hidden className="size-4" />
        </Button>
        <BalanceChip />
      </PageHeader>
      <div className="flex min-w-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col gap-3.5 px-4 py-4 sm:px-6">
          <HistoryOffNotice onOpen={openSettings} />
          <RunningTasks live={live} />
          {/* When this is out of sight, the reader has scrolled. */}
          <div ref={top} className="flex min-h-px flex-col gap-3.5">
            {!isEmpty && (
              <>
                <ViewsBar filters={filters} />
                <FilterBar filters={filters} />
                <HistoryChart filters={filters} live={live} openAt={rows.find((row) => row.id === openId)?.at} />
              </>
            )}
          </div>
          <RequestList
            filtered={filtered}
            requests={requests}
            openId={openId}
            onOpen={open}
            onTop={() => top.current?.scrollIntoView({ block: 'end' })}
            narrow={wide && openId !== null}
            handle={list}
          />
        </div>
        <Panel id={openId} onClose={close} wide={wide} aside={aside} />
      </div>
      {settingsOpen && (
        <Suspense>
          <SettingsDialog onClose={() => setSettingsOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}
