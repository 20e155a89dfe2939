'use client'
import { useTranslations } from 'next-intl'
import { type AuditRow, auditPage } from '#lib/contracts/operator-groups'
import { formatMoney } from '#lib/domain/format-money'
import { parseDecimal } from '#lib/domain/money'
import { joinFacts } from '../join-facts.ts'
import { LoadFailed } from '../load-failed.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { RowsSkeleton } from '../ui/rows-skeleton.tsx'
import { useApi } from '../use-api.ts'
import { useFormat } from '../use-format.ts'

/** The details of an entry besides its action: the amount, the person, the key, the reason. */
const detailsOf = ({ after }: AuditRow): string => {
  const changes = (after ?? {}) as Record<string, unknown>
  const texts = ['amount', 'person', 'role', 'key', 'reason', 'suspended'].flatMap((name) => {
    const amount = name === 'amount' ? parseDecimal(String(changes.amount)) : null
    return amount === null ? (changes[name] ?? []) : formatMoney(amount, 'exact').text
  })
  return joinFacts(texts.map(String))
}

/** The operators' actions on an account, newest first. Reloaded when `version` changes. */
export function LogCard({ accountId, version }: { accountId: string; version: string }) {
  const t = useTranslations('operatorAccounts')
  const format = useFormat()
  const path = `/api/operator/audit?target=account&targetId=${encodeURIComponent(accountId)}&limit=10`
  // The part after # is not sent. A new version is a new cache key with the same address.
  const { data, error, mutate } = useApi(`${path}#${version}`, auditPage, { keepPreviousData: true })
  return (
    <Card>
      <CardHeader title={t('log')} />
      {data === undefined &&
        (error === undefined ? <RowsSkeleton count={2} /> : <LoadFailed error={error} onRetry={() => void mutate()} />)}
      {data?.rows.length === 0 && <p className="mt-1 text-second">{t('noLog')}</p>}
      <ul className="mt-1">
        {data?.rows.map((row) => (
          <li
            key={row.id}
            className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 border-line-soft border-b py-2 last:border-b-0"
          >
            <time dateTime={row.at} className="w-28 text-second">
              {format.moment(row.at)}
            </time>
            <span className="mono">{row.verb}</span>
            <span className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">{detailsOf(row)}</span>
            <span className="min-w-0 truncate text-second">{row.actor}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
