'use client'
import { Download } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { closing } from '#lib/contracts/account'
import { LoadFailed } from '../load-failed.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useApi } from '../use-api.ts'
import { CloseCard } from './close-card.tsx'

/** The user's data, which can be exported or deleted. */
export function DataPage() {
  const t = useTranslations('account')
  const { data, error, mutate } = useApi('/api/account/closing', closing)
  return (
    <>
      <Card>
        <CardHeader title={t('exportTitle')} />
        <p className="mt-1 max-w-prose text-second">{t('exportText')}</p>
        <Button asChild className="mt-4">
          <a href="/api/account/export" download>
            <Download aria-hidden className="size-4" />
            {t('export')}
          </a>
        </Button>
      </Card>
      {data !== undefined ? (
        <CloseCard data={data} onChanged={() => void mutate()} />
      ) : (
        <Card>
          {error === undefined ? (
            <Skeleton className="h-72 w-full" />
          ) : (
            <LoadFailed error={error} onRetry={() => void mutate()} />
          )}
        </Card>
      )}
    </>
  )
}
