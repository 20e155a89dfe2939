'use client'
import { useTranslations } from 'next-intl'
import { type RequestChart, requestChart } from '#lib/contracts/history'
import { columnsOf } from '../chart/axis.ts'
import { cn } from '../cn.ts'
import { StaleContent } from '../stale-content.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { useApiWithPreviousData } from '../use-api-with-previous-data.ts'
import { useFormat } from '../use-format.ts'
import { spanOf } from './chart-span.ts'
import { chartPath, type Filters } from './filter-params.ts'
import { type BarSelection, useBarSelection } from './use-bar-selection.ts'

const LIVE_POLL_MS = 15_000
type Buckets = RequestChart['buckets']

function useBarLabels(bucketMs: number) {
  const t = useTranslations('requests.chart')
  const format = useFormat()
  const ends = (at: string, lengthMs: number) => ({
    from: format.moment(at),
    to: format.moment(new Date(Date.parse(at) + lengthMs).toISOString()),
  })
  return {
    bar: (bucket: Buckets[number]) => t('bar', { ...ends(bucket.at, bucketMs), count: bucket.requests, failed: bucket.errors }),
    note: (chosen: Buckets) => {
      const sum = (name: 'requests' | 'errors') => chosen.reduce((total, bucket) => total + bucket[name], 0)
      return t('bar', { ...ends(chosen[0]?.at ?? '', chosen.length * bucketMs), count: sum('requests'), failed: sum('errors') })
    },
  }
}

interface BarProps {
  bucket: Buckets[number]
  maxRequests: number
  name: string
  place: number
  isTabStop: boolean
  isChosen: boolean
  isMarked: boolean
}

/** Successful requests at the bottom, failed ones in red on top of them. */
const Bar = ({ bucket, maxRequests, name, place, isTabStop, isChosen, isMarked }: BarProps) => {
  const percent = (count: number) => `${(count / maxRequests) * 100}%`
  return (
    <button
      type="button"
      data-bar={place}
      tabIndex={isTabStop ? 0 : -1}
      aria-label={name}
      className={cn(
        'flex h-full min-w-0 forced-color-adjust-none touch-pan-y flex-col justify-end px-px',
        isChosen && 'rounded-[2px] bg-hover',
      )}
    >
      {bucket.errors > 0 && (
        <span className="min-h-[3px] shrink-0 rounded-t-[1.5px] bg-bad" style={{ height: percent(bucket.errors) }} />
      )}
      {bucket.requests > bucket.errors && (
        <span
          className={cn('min-h-0.5 rounded-[1.5px]', isMarked || isChosen ? 'bg-accent' : 'bg-third/55')}
          style={{ height: percent(bucket.requests - bucket.errors) }}
        />
      )}
      {bucket.requests === 0 && <span className="h-px bg-line" />}
    </button>
  )
}

/** The bars are a single Tab stop. Arrow keys move, with Shift they select several bars, and Enter filters the list by them. */
function Bars({ chart, openAt }: { chart: RequestChart; openAt: string | undefined }) {
  const t = useTranslations('requests.chart')
  const { buckets, bucketMs } = chart
  const labels = useBarLabels(bucketMs)
  const filterBySpan = ({ anchor, end }: BarSelection) => {
    const span = spanOf(buckets, bucketMs, anchor, end)
    if (span !== null) updateSearchParams({ ...span, range: null, id: null }, 'push')
  }
  const { choice, stop, handlers } = useBarSelection(buckets.length - 1, filterBySpan)
  const maxRequests = Math.max(1, ...buckets.map(({ requests }) => requests))
  const [first, last] = choice === null ? [0, -1] : [Math.min(choice.anchor, choice.end), Math.max(choice.anchor, choice.end)]
  const marked = openAt === undefined ? -1 : buckets.findLastIndex(({ at }) => at <= openAt)
  return (
    <>
      <div
        role="toolbar"
        aria-label={t('label')}
        {...handlers}
        className="grid h-12 select-none grid-rows-1"
        style={columnsOf(buckets.length)}
      >
        {buckets.map((bucket, place) => (
          <Bar
            key={bucket.at}
            bucket={bucket}
            maxRequests={maxRequests}
            name={labels.bar(bucket)}
            place={place}
            isTabStop={place === stop}
            isChosen={place >= first && place <= last}
            isMarked={place === marked}
          />
        ))}
      </div>
      <p className="figures flex min-h-4 justify-between gap-3 text-second text-xs">
        {last < 0 ? <ChartEnds chart={chart} /> : <span>{labels.note(buckets.slice(first, last + 1))}</span>}
      </p>
    </>
  )
}

function ChartEnds({ chart }: { chart: RequestChart }) {
  const t = useTranslations('requests.chart')
  const format = useFormat()
  return (
    <>
      <span>{format.moment(chart.from)}</span>
      {chart.countedFrom !== null && <span>{t('countedFrom', { time: format.moment(chart.countedFrom) })}</span>}
      <span>{format.moment(chart.to)}</span>
    </>
  )
}

interface HistoryChartProps {
  filters: Filters
  live: boolean
  /** The time of the open request. */
  openAt: string | undefined
}

/** The number of matching requests over time. A click on a bar, or a drag over several, filters the list by their time. */
export function HistoryChart({ filters, live, openAt }: HistoryChartProps) {
  const common = useTranslations('common')
  const { data, error, isOld } = useApiWithPreviousData(chartPath(filters), requestChart, {
    refreshInterval: live ? LIVE_POLL_MS : 0,
    revalidateOnFocus: live,
  })
  return (
    <StaleContent isOld={isOld} className="flex min-h-[68px] flex-col gap-1">
      {data !== undefined ? (
        <Bars chart={data} openAt={openAt} />
      ) : error !== undefined ? (
        <p className="text-second text-sm">{common('loadFailed')}</p>
      ) : (
        <>
          <Skeleton className="h-12 w-full" />
          <Skeleton className="h-4 w-full" />
        </>
      )}
    </StaleContent>
  )
}
