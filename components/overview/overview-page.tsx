'use client'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { overview } from '#lib/contracts/overview'
import { LoadFailed } from '../load-failed.tsx'
import { PageHeader } from '../shell/page-header.tsx'
import { StaleContent } from '../stale-content.tsx'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/select.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { useApiWithPreviousData } from '../use-api-with-previous-data.ts'
import { BalanceCard } from './balance-card.tsx'
import { Checklist } from './checklist.tsx'
import { FigureCards } from './figure-cards.tsx'
import { ModelsCard } from './models-card.tsx'
import { OverviewSkeleton } from './overview-skeleton.tsx'
import { PERIODS, periodOf } from './period.ts'
import { SpendCard } from './spend-card.tsx'

const WAITING_MS = 2_000
const WATCHING_MS = 10_000

/** The overview at a glance: balance, spending, speed, remaining steps and models. */
export function OverviewPage() {
  const t = useTranslations('overview')
  const days = periodOf(useSearchParams().get('days'))
  const { data, error, mutate, isOld } = useApiWithPreviousData(`/api/overview?days=${days}`, overview, {
    // Polls quickly until the first call has arrived, so that the checklist updates as it happens.
    refreshInterval: (latest) => (latest?.steps.call === true ? WATCHING_MS : WAITING_MS),
  })
  return (
    <>
      <PageHeader title={t('title')}>
        <Select
          label={t('period')}
          value={days}
          onChange={(value) => updateSearchParams({ days: value === '30' ? null : value })}
          options={PERIODS.map((value) => ({ value, label: t('lastDays', { days: Number(value) }) }))}
          className="h-8"
        />
        {data?.payable && (
          <Button asChild tone="primary" size="small" className="max-[359px]:hidden">
            <Link href="/billing">{t('topUp')}</Link>
          </Button>
        )}
      </PageHeader>
      <div className="mx-auto w-full max-w-[1240px] px-4 py-5 sm:px-7 sm:py-6">
        {data !== undefined ? (
          <StaleContent isOld={isOld} className="flex flex-col gap-5">
            <div className="grid grid-cols-2 gap-3.5 xl:grid-cols-[1.35fr_1fr_1fr_1fr]">
              <BalanceCard data={data} />
              <FigureCards data={data} />
            </div>
            <div className="grid gap-3.5 xl:grid-cols-[2fr_1fr]">
              <SpendCard data={data} />
              <Checklist data={data} />
            </div>
            <ModelsCard data={data} />
          </StaleContent>
        ) : error !== undefined ? (
          <LoadFailed error={error} onRetry={() => void mutate()} />
        ) : (
          <OverviewSkeleton />
        )}
      </div>
    </>
  )
}
