'use client'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { billing } from '#lib/contracts/billing'
import { cn } from '../cn.ts'
import { LoadFailed } from '../load-failed.tsx'
import { notLoaded } from '../not-loaded.tsx'
import { PageHeader } from '../shell/page-header.tsx'
import { Card } from '../ui/card.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useApi } from '../use-api.ts'
import { AlertCard } from './alert-card.tsx'
import { BalanceCard } from './balance-card.tsx'
import { CardWatch } from './card-watch.tsx'
import { PaymentWatch } from './payment-watch.tsx'
import { RedeemCard } from './redeem-card.tsx'
import { StripeSetupCard } from './stripe-setup-card.tsx'
import { TopUpCard } from './top-up-card.tsx'
import { TransactionsCard } from './transactions-card.tsx'

// Content below the first screen is loaded after it.
const AutoTopUpCard = dynamic(() => import('./auto-top-up-card.tsx').then((module) => module.AutoTopUpCard).catch(notLoaded), {
  loading: () => <Skeleton className="h-72 w-full rounded-lg" />,
})
const SpendingAlertsCard = dynamic(
  () => import('./spending-alerts-card.tsx').then((module) => module.SpendingAlertsCard).catch(notLoaded),
  {
    loading: () => <Skeleton className="h-40 w-full rounded-lg" />,
  },
)

const BalanceSkeleton = () => (
  <Card className="h-[116px] lg:col-start-2">
    <Skeleton className="h-3.5 w-20" />
    <Skeleton className="mt-3 h-7 w-36" />
  </Card>
)

const TopUpSkeleton = () => (
  <>
    <Card className="h-[304px]">
      <Skeleton className="h-3.5 w-20" />
      <Skeleton className="mt-6 h-9 w-full" />
      <Skeleton className="mt-6 h-9 w-full" />
    </Card>
    <Skeleton className="h-72 w-full rounded-lg" />
  </>
)

/** The billing page: the balance, the ways to top it up, and all changes to it except requests. */
export function BillingPage() {
  const t = useTranslations('billing')
  const { data, error, mutate } = useApi('/api/billing', billing, { refreshInterval: 10_000 })
  const searchParams = useSearchParams()
  const watchedPaymentId = searchParams.get('payment')
  return (
    <>
      <PageHeader title={t('title')} />
      <div className="mx-auto flex w-full max-w-[1240px] flex-col gap-4 px-4 py-5 sm:px-7 sm:py-6">
        {watchedPaymentId !== null && <PaymentWatch id={watchedPaymentId} />}
        {searchParams.get('card') === 'saved' && <CardWatch />}
        {data === undefined && error !== undefined ? (
          <Card>
            <LoadFailed error={error} onRetry={() => void mutate()} />
          </Card>
        ) : (
          // The columns are independent, so that a short card leaves no gap below it.
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[minmax(0,1fr)_340px] lg:grid-rows-[auto_1fr]">
            {data === undefined ? <BalanceSkeleton /> : <BalanceCard data={data} />}
            <div className="flex min-w-0 flex-col gap-4 lg:col-start-1 lg:row-span-2 lg:row-start-1">
              {data === undefined ? (
                <TopUpSkeleton />
              ) : data.payable ? (
                <TopUpCard data={data} />
              ) : (
                <StripeSetupCard webhookUrl={data.webhookUrl} />
              )}
              {/* Until the response is there, the height above these is unknown, so they load but stay hidden. */}
              <div className={cn('flex min-w-0 flex-col gap-4', data === undefined && 'hidden')}>
                {data !== undefined && <AutoTopUpCard billing={data} />}
                <TransactionsCard version={data === undefined ? null : `${data.balanceNano} ${data.owedNano}`} />
              </div>
            </div>
            <div className={cn('flex flex-col gap-4 lg:col-start-2', data === undefined && 'hidden')}>
              <RedeemCard />
              {data !== undefined && <AlertCard data={data} onSaved={() => void mutate()} />}
              <SpendingAlertsCard />
            </div>
          </div>
        )}
      </div>
    </>
  )
}
