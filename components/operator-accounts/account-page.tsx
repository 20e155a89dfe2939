'use client'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { type OperatorAccount, operatorAccount } from '#lib/contracts/operator-accounts'
import { formatFactor } from '#lib/domain/format-money'
import { TransactionsCard } from '../billing/transactions-card.tsx'
import { notLoaded } from '../not-loaded.tsx'
import { DetailPage } from '../operator/detail-page.tsx'
import { accountApi, groupPath } from '../operator/paths.ts'
import { Card, CardHeader } from '../ui/card.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Tag } from '../ui/tag.tsx'
import { useApi } from '../use-api.ts'
import { useFormat } from '../use-format.ts'
import { KeysCard } from './keys-card.tsx'
import { LogCard } from './log-card.tsx'
import { MoneyCard } from './money-card.tsx'
import { PeopleCard } from './people-card.tsx'
import { RefusalNote } from './refusal-note.tsx'
import { RequestsCard } from './requests-card.tsx'
import { StateTag } from './state-tag.tsx'
import { SuspendButton } from './suspend-button.tsx'
import { WaitingPaymentsCard } from './waiting-payments-card.tsx'

const UsageCard = dynamic(() => import('./usage-card.tsx').then((module) => module.UsageCard).catch(notLoaded), {
  ssr: false,
  loading: () => (
    <Card className="min-h-[320px]">
      <Skeleton className="h-4 w-32" />
    </Card>
  ),
})

function GroupsCard({ groups }: { groups: OperatorAccount['groups'] }) {
  const t = useTranslations('operatorAccounts')
  return (
    <Card>
      <CardHeader title={t('groups')} />
      <p className="mt-0.5 text-second">{t('groupsText')}</p>
      <ul className="mt-2 flex flex-col">
        {groups.map(({ id, name, isDefault, multiplierBp }) => (
          <li key={id} className="flex items-center gap-2 border-line-soft border-b py-2 last:border-b-0">
            <Link href={groupPath(id)} className="min-w-0 truncate hover:underline">
              {name}
            </Link>
            <span className="figures shrink-0 text-second">× {formatFactor(multiplierBp)}</span>
            {isDefault && (
              <Tag tone="good" className="shrink-0">
                {t('default')}
              </Tag>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function SuspendedNotice({ account }: { account: OperatorAccount }) {
  const t = useTranslations('operatorAccounts')
  const format = useFormat()
  if (account.state !== 'suspended') return null
  const reason = account.suspendedReason === 'debt' ? t('suspendedForDebt') : (account.suspendedReason ?? t('noReason'))
  return (
    <p role="status" className="rounded-md bg-bad-tint px-3 py-2 text-bad">
      <strong>{t('suspendedSince', { date: account.suspendedAt === null ? '' : format.moment(account.suspendedAt) })}</strong>{' '}
      <span className="[overflow-wrap:anywhere]">{reason}</span>
    </p>
  )
}

/** The page of an account: its balance, people, keys and recent activity. */
export function AccountPage({ id }: { id: string }) {
  const t = useTranslations('operatorAccounts')
  const format = useFormat()
  const { data, error, mutate } = useApi(accountApi(id), operatorAccount, { refreshInterval: 30_000 })
  const reload = () => void mutate()
  return (
    <DetailPage
      title={data?.name ?? t('account')}
      back={{ path: '/operator/accounts', name: t('title') }}
      aside={data && <StateTag state={data.state} />}
      actions={data && <SuspendButton account={data} onDone={reload} />}
      loaded={data !== undefined}
      error={error}
      onRetry={reload}
    >
      {data && (
        <>
          <p className="-mt-1 flex flex-wrap items-center gap-x-3 text-second">
            <span className="flex min-w-0 items-center gap-1">
              <span className="mono min-w-0 truncate">{data.id}</span>
              <CopyButton text={data.id} label={t('accountId')} />
            </span>
            <span>{t('since', { date: format.date(data.createdAt) })}</span>
          </p>
          <SuspendedNotice account={data} />
          <RefusalNote account={data} />
          <MoneyCard account={data} onDone={reload} />
          <WaitingPaymentsCard payments={data.waitingPayments} />
          <PeopleCard account={data} onDone={reload} />
          <UsageCard accountId={id} />
          <KeysCard account={data} onDone={reload} />
          <div className="grid items-start gap-5 lg:grid-cols-2">
            <TransactionsCard path={`${accountApi(id, '/entries')}?limit=10`} version={`${data.balanceNano} ${data.owedNano}`} />
            <GroupsCard groups={data.groups} />
          </div>
          <RequestsCard accountId={id} />
          <LogCard accountId={id} version={JSON.stringify([data.balanceNano, data.state, data.people, data.keys.length])} />
        </>
      )}
    </DetailPage>
  )
}
