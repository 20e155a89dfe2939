'use client'
import { Download } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { usageBy } from '#lib/contracts/usage'
import { LoadFailed } from '../load-failed.tsx'
import { notLoaded } from '../not-loaded.tsx'
import { PageHeader } from '../shell/page-header.tsx'
import { StaleContent } from '../stale-content.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Menu, MenuItem } from '../ui/dropdown-menu.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { Figures } from './figures.tsx'
import { GroupsCard } from './groups-card.tsx'
import { UsageChart } from './usage-chart.tsx'
import { UsageFilters } from './usage-filters.tsx'
import { exportPath, isFiltered, readUsageParams, type UsageChoice } from './usage-params.ts'
import { useUsage } from './use-usage.ts'

// Needed before the first call, and rarely after it.
const NoUsage = dynamic(() => import('./no-usage.tsx').then((module) => module.NoUsage).catch(notLoaded))

const UsageSkeleton = () => (
  <>
    <div className="grid grid-cols-2 gap-3.5 lg:grid-cols-4">
      {[1, 2, 3, 4].map((place) => (
        <Card key={place} className="min-h-[122px]">
          <Skeleton className="h-3.5 w-16" />
          <Skeleton className="mt-4 h-6 w-28 max-w-full" />
          <Skeleton className="mt-4 h-3 w-32 max-w-full" />
        </Card>
      ))}
    </div>
    <Card className="min-h-[320px]">
      <Skeleton className="h-4 w-32" />
      <Skeleton className="mt-8 h-52 w-full" />
    </Card>
    <Card className="min-h-[200px]">
      <Skeleton className="h-4 w-24" />
      {[1, 2, 3].map((line) => (
        <Skeleton key={line} className="mt-5 h-4 w-full" />
      ))}
    </Card>
  </>
)

function ExportMenu({ choice }: { choice: UsageChoice }) {
  const t = useTranslations('usage')
  return (
    <Menu
      trigger={
        <Button>
          <Download aria-hidden className="size-4" />
          {t('export')}
        </Button>
      }
    >
      {(['hours', 'requests'] as const).map((rows) => (
        <MenuItem key={rows} asChild>
          <a href={exportPath(choice, rows)} download>
            {t(`exports.${rows}`)}
          </a>
        </MenuItem>
      ))}
    </Menu>
  )
}

/** The usage page: how much, when, by model and by key. */
export function UsagePage() {
  const t = useTranslations('usage')
  const params = useSearchParams()
  const choice = readUsageParams(new URLSearchParams(params))
  const { data, error, mutate, isOld } = useUsage(choice)
  const { by, measure } = choice
  const filtered = isFiltered(choice)
  const daysError = error?.field === 'from' || error?.field === 'to' ? error.message : undefined
  const failed = error !== undefined && daysError === undefined && data === undefined
  const isNeverUsed = data !== undefined && !filtered && data.totals.requests === 0 && data.before.requests === 0
  const picked = data !== undefined && choice[data.by] !== null
  return (
    <>
      <PageHeader title={t('title')}>
        <ExportMenu choice={choice} />
      </PageHeader>
      <div className="mx-auto flex w-full max-w-[1240px] flex-col gap-4 px-4 py-5 sm:px-7 sm:py-6">
        <UsageFilters choice={choice} error={daysError} />
        {failed && (
          <Card>
            <LoadFailed error={error} onRetry={() => void mutate()} />
          </Card>
        )}
        {data === undefined && error === undefined && <UsageSkeleton />}
        {isNeverUsed && daysError === undefined && <NoUsage />}
        {data !== undefined && daysError === undefined && !isNeverUsed && (
          <StaleContent isOld={isOld} className="flex flex-col gap-4">
            <Figures
              report={data}
              measure={measure}
              onChange={(next) => updateSearchParams({ measure: next === 'money' ? null : next })}
            />
            <UsageChart report={data} nothing={t(filtered ? 'nothingFiltered' : 'nothingInPeriod')}>
              <Segmented
                label={t('groupBy')}
                value={by}
                onChange={(next) => updateSearchParams({ by: next === 'model' ? null : next })}
                options={usageBy.options.map((value) => ({ value, label: t(`by.${value}`) }))}
              />
            </UsageChart>
            {data.groups.length > 0 && (
              <GroupsCard
                report={data}
                onPick={picked ? null : (id) => id !== '' && updateSearchParams({ [data.by]: id }, 'push')}
              />
            )}
            <p className="text-second text-sm">{t('utc')}</p>
          </StaleContent>
        )}
      </div>
    </>
  )
}
