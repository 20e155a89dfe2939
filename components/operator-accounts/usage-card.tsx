'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { type UsageBy, usageBy, usageReport } from '#lib/contracts/usage'
import { LoadFailed } from '../load-failed.tsx'
import { accountApi } from '../operator/paths.ts'
import { StaleContent } from '../stale-content.tsx'
import { Card } from '../ui/card.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { UsageChart } from '../usage/usage-chart.tsx'
import { useApiWithPreviousData } from '../use-api-with-previous-data.ts'

/** The spending of an account in the last 30 days, from the same totals as its own usage page. */
export function UsageCard({ accountId }: { accountId: string }) {
  const t = useTranslations('operatorAccounts')
  const usage = useTranslations('usage')
  const [by, setBy] = useState<UsageBy>('model')
  const path = `${accountApi(accountId, '/usage')}?range=30d&by=${by}`
  const { data, error, mutate, isOld } = useApiWithPreviousData(path, usageReport, { refreshInterval: 60_000 })
  if (data === undefined)
    return (
      <Card className="min-h-[320px]">
        {error === undefined ? <Skeleton className="h-4 w-32" /> : <LoadFailed error={error} onRetry={() => void mutate()} />}
      </Card>
    )
  return (
    <StaleContent isOld={isOld}>
      <UsageChart report={data} title={t('usage')}>
        <Segmented
          label={usage('groupBy')}
          value={by}
          onChange={setBy}
          options={usageBy.options.map((value) => ({ value, label: usage(`by.${value}`) }))}
        />
      </UsageChart>
    </StaleContent>
  )
}
