'use client'
import { X } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { attention, type TrafficReport, trafficBy, trafficRange, trafficReport } from '#lib/contracts/traffic'
import { LoadFailed } from '../../load-failed.tsx'
import { PageHeader } from '../../shell/page-header.tsx'
import { StaleContent } from '../../stale-content.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { NativeSelect } from '../../ui/native-select.tsx'
import { RowsSkeleton } from '../../ui/rows-skeleton.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Dot } from '../../ui/tag.tsx'
import { updateSearchParams } from '../../update-search-params.ts'
import { useApi } from '../../use-api.ts'
import { useApiWithPreviousData } from '../../use-api-with-previous-data.ts'
import { pageFrameStyles } from '../list-page.tsx'
import { TrafficAttention } from './traffic-attention.tsx'
import { TrafficChart } from './traffic-chart.tsx'
import { TrafficFigureCards } from './traffic-figures.tsx'
import { TrafficGroups } from './traffic-groups.tsx'
import { NARROW_FILTERS, narrowParamChanges, readTrafficParams, type TrafficChoice, trafficPath } from './traffic-params.ts'

/** A hidden page does not refresh: SWR waits until it is visible. */
const LIVE_POLL_MS = 2000
const IDLE_POLL_MS = 30_000

function LiveSwitch({ live }: { live: boolean }) {
  const t = useTranslations('traffic')
  return (
    <Button
      size="small"
      role="switch"
      aria-checked={live}
      aria-label={t('live')}
      title={t(live ? 'liveOn' : 'liveOff')}
      onClick={() => updateSearchParams({ live: live ? null : '1' })}
    >
      <Dot tone={live ? 'good' : 'plain'} {...(live ? { className: 'motion-safe:animate-pulse' } : {})} />
      {t('live')}
    </Button>
  )
}

function Filters({ choice, report }: { choice: TrafficChoice; report: TrafficReport | undefined }) {
  const t = useTranslations('traffic')
  return (
    <div className="flex flex-wrap items-center gap-2">
      <NativeSelect
        label={t('range')}
        value={choice.range}
        onChange={(range) => updateSearchParams({ range: range === '1h' ? null : range })}
        options={trafficRange.options.map((value) => ({ value, label: t(`ranges.${value}`) }))}
        className="h-8"
      />
      <Segmented
        label={t('groupBy')}
        value={choice.by}
        onChange={(by) => updateSearchParams({ by: by === 'model' ? null : by })}
        options={trafficBy.options.map((value) => ({ value, label: t(`by.${value}`) }))}
        className="h-8"
      />
      {NARROW_FILTERS.filter((name) => choice[name] !== null).map((name) => {
        const shown = report?.narrowed[name] ?? choice[name] ?? ''
        return (
          <Button
            key={name}
            size="small"
            aria-label={t('remove', { name: shown })}
            onClick={() => updateSearchParams({ [name]: null }, 'push')}
            className="max-w-full"
          >
            <span className="truncate">{t(`narrowed.${name}`, { name: shown })}</span>
            <X aria-hidden className="size-3.5 shrink-0 text-second" />
          </Button>
        )
      })}
    </div>
  )
}

/** The traffic of the gateway: problems first, then volume, speed and money, over time and by group. */
export function TrafficPage() {
  const t = useTranslations('traffic')
  const choice = readTrafficParams(new URLSearchParams(useSearchParams()))
  const timing = {
    refreshInterval: choice.live ? LIVE_POLL_MS : IDLE_POLL_MS,
    dedupingInterval: LIVE_POLL_MS / 2,
  }
  const { data, error, mutate, isOld } = useApiWithPreviousData(trafficPath(choice), trafficReport, timing)
  const urgent = useApi('/api/operator/traffic/attention', attention, timing)
  const reload = () => {
    void mutate()
    void urgent.mutate()
  }
  // A page that is already filtered by this grouping cannot be narrowed by it again.
  const pick =
    data && choice[data.by] === null ? (id: string) => updateSearchParams(narrowParamChanges(choice, data.by, id), 'push') : null
  return (
    <>
      <PageHeader title={t('title')}>
        <LiveSwitch live={choice.live} />
      </PageHeader>
      <div className={`${pageFrameStyles} flex flex-col gap-4`}>
        {urgent.data !== undefined && <TrafficAttention data={urgent.data} onChanged={reload} />}
        <Filters choice={choice} report={data} />
        {data === undefined ? (
          <Card className="min-h-[480px]">
            {error === undefined ? <RowsSkeleton /> : <LoadFailed error={error} onRetry={() => void mutate()} />}
          </Card>
        ) : (
          <StaleContent isOld={isOld} className="flex flex-col gap-4">
            <TrafficFigureCards
              report={data}
              measure={choice.measure}
              onChange={(next) => updateSearchParams({ measure: next === 'requests' ? null : next })}
            />
            <TrafficChart report={data} />
            {data.groups.length > 0 && <TrafficGroups report={data} onPick={pick} onChanged={reload} />}
          </StaleContent>
        )}
        <p className="max-w-prose text-second text-sm">{t('lead')}</p>
      </div>
    </>
  )
}
