'use client'
import { X } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { attention, type TrafficReport, trafficBy, trafficRange, trafficReport } from '#lib/contracts/traffic'
import { Kept } from '../../kept.tsx'
import { LoadFailed } from '../../load-failed.tsx'
import { PageHeader } from '../../shell/page-header.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Lines } from '../../ui/lines.tsx'
import { NativeSelect } from '../../ui/native-select.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Dot } from '../../ui/tag.tsx'
import { useApi } from '../../use-api.ts'
import { useKeptApi } from '../../use-kept-api.ts'
import { writeAddress } from '../../write-address.ts'
import { frame } from '../list-page.tsx'
import { NARROWINGS, narrowTo, readTraffic, type TrafficChoice, trafficPath } from './traffic-address.ts'
import { TrafficAttention } from './traffic-attention.tsx'
import { TrafficChart } from './traffic-chart.tsx'
import { TrafficFigureCards } from './traffic-figures.tsx'
import { TrafficGroups } from './traffic-groups.tsx'

/** A hidden page does not refresh: SWR waits until it is visible. */
const LIVE_MS = 2000
const CALM_MS = 30_000

function LiveSwitch({ live }: { live: boolean }) {
  const t = useTranslations('traffic')
  return (
    <Button
      size="small"
      role="switch"
      aria-checked={live}
      aria-label={t('live')}
      title={t(live ? 'liveOn' : 'liveOff')}
      onClick={() => writeAddress({ live: live ? null : '1' })}
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
        onChange={(range) => writeAddress({ range: range === '1h' ? null : range })}
        options={trafficRange.options.map((value) => ({ value, label: t(`ranges.${value}`) }))}
        className="h-8"
      />
      <Segmented
        label={t('groupBy')}
        value={choice.by}
        onChange={(by) => writeAddress({ by: by === 'model' ? null : by })}
        options={trafficBy.options.map((value) => ({ value, label: t(`by.${value}`) }))}
        className="h-8"
      />
      {NARROWINGS.filter((name) => choice[name] !== null).map((name) => {
        const shown = report?.narrowed[name] ?? choice[name] ?? ''
        return (
          <Button
            key={name}
            size="small"
            aria-label={t('remove', { name: shown })}
            onClick={() => writeAddress({ [name]: null }, 'push')}
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
  const choice = readTraffic(new URLSearchParams(useSearchParams()))
  const timing = {
    refreshInterval: choice.live ? LIVE_MS : CALM_MS,
    dedupingInterval: LIVE_MS / 2,
  }
  const { data, error, mutate, isOld } = useKeptApi(trafficPath(choice), trafficReport, timing)
  const urgent = useApi('/api/operator/traffic/attention', attention, timing)
  const changed = () => {
    void mutate()
    void urgent.mutate()
  }
  // A page that is already filtered by this grouping cannot be narrowed by it again.
  const pick = data && choice[data.by] === null ? (id: string) => writeAddress(narrowTo(choice, data.by, id), 'push') : null
  return (
    <>
      <PageHeader title={t('title')}>
        <LiveSwitch live={choice.live} />
      </PageHeader>
      <div className={`${frame} flex flex-col gap-4`}>
        {urgent.data !== undefined && <TrafficAttention data={urgent.data} onChanged={changed} />}
        <Filters choice={choice} report={data} />
        {data === undefined ? (
          <Card className="min-h-[480px]">
            {error === undefined ? <Lines /> : <LoadFailed error={error} onRetry={() => void mutate()} />}
          </Card>
        ) : (
          <Kept isOld={isOld} className="flex flex-col gap-4">
            <TrafficFigureCards
              report={data}
              measure={choice.measure}
              onChange={(next) => writeAddress({ measure: next === 'requests' ? null : next })}
            />
            <TrafficChart report={data} />
            {data.groups.length > 0 && <TrafficGroups report={data} onPick={pick} onChanged={changed} />}
          </Kept>
        )}
        <p className="max-w-prose text-second text-sm">{t('lead')}</p>
      </div>
    </>
  )
}
