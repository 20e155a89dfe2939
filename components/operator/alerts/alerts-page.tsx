'use client'
import { useTranslations } from 'next-intl'
import { alertList } from '#lib/contracts/operator-alerts'
import { LoadFailed } from '../../load-failed.tsx'
import { PageHeader } from '../../shell/page-header.tsx'
import { Card } from '../../ui/card.tsx'
import { RowsSkeleton } from '../../ui/rows-skeleton.tsx'
import { useApi } from '../../use-api.ts'
import { pageFrameStyles } from '../list-page.tsx'
import { AlertEventsCard } from './alert-events-card.tsx'
import { AlertRulesCard } from './alert-rules-card.tsx'
import { AlertWebhooksCard } from './alert-webhooks-card.tsx'
import { BalancesCard } from './balances-card.tsx'

/** The alert rules, where alerts are sent, and past events. */
export function AlertsPage() {
  const t = useTranslations('operatorAlerts')
  const { data, error, mutate } = useApi('/api/operator/alerts', alertList, { refreshInterval: 10_000 })
  const reload = () => void mutate()
  return (
    <>
      <PageHeader title={t('title')} />
      <div className={pageFrameStyles}>
        <p className="mb-4 max-w-prose text-second">{t('lead')}</p>
        <div className="flex flex-col gap-5">
          {data === undefined ? (
            <Card>{error === undefined ? <RowsSkeleton /> : <LoadFailed error={error} onRetry={reload} />}</Card>
          ) : (
            <AlertRulesCard list={data} onChanged={reload} />
          )}
          <AlertEventsCard />
          <BalancesCard />
          {data !== undefined && <AlertWebhooksCard hooks={data.webhooks} onChanged={reload} />}
        </div>
      </div>
    </>
  )
}
