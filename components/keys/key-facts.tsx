'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { KeyRow } from '#lib/contracts/keys'
import { formatMoney } from '#lib/domain/format-money'
import { Money } from '../money.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { useFormat } from '../use-format.ts'

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex min-w-0 justify-between gap-4 border-line-soft border-b py-2 last:border-b-0">
    <dt className="shrink-0 text-second">{name}</dt>
    <dd className="min-w-0 text-right [overflow-wrap:anywhere]">{children}</dd>
  </div>
)

/** The spent share of a limit, as a bar. */
function LimitBar({ spent, limit }: { spent: string; limit: string }) {
  const limitNano = BigInt(limit)
  const share = limitNano === 0n ? 100 : Math.min(100, Number((BigInt(spent) * 10_000n) / limitNano) / 100)
  return (
    <span
      aria-hidden
      className="mt-1.5 block h-1.5 w-40 max-w-full forced-color-adjust-none overflow-hidden rounded-full bg-line-soft"
    >
      <span className={`block h-full ${share >= 90 ? 'bg-warn' : 'bg-accent'}`} style={{ width: `${share}%` }} />
    </span>
  )
}

function Limit({ spent, limit }: { spent: string; limit: string | null }) {
  const t = useTranslations('key')
  if (limit === null) return <span className="text-second">{t('noLimit')}</span>
  return (
    <span className="inline-flex flex-col items-end">
      <span className="figures">{t('ofLimit', { spent: formatMoney(spent).text, limit: formatMoney(limit).text })}</span>
      <LimitBar spent={spent} limit={limit} />
    </span>
  )
}

/** All properties and limits of a key. */
export function KeyFacts({ row }: { row: KeyRow }) {
  const t = useTranslations('key')
  const format = useFormat()
  const rates = {
    requests: row.rpm === null ? t('anyRequests') : t('rateRequests', { count: format.count(row.rpm) }),
    tokens: row.tpm === null ? t('anyTokens') : t('rateTokens', { count: format.count(row.tpm) }),
  }
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card>
        <CardHeader title={t('about')} />
        <dl className="mt-1">
          <Fact name={t('secret')}>
            <code className="mono">{row.hint}</code>
          </Fact>
          <Fact name={t('group')}>{row.groupName}</Fact>
          <Fact name={t('created')}>{format.date(row.createdAt)}</Fact>
          <Fact name={t('lastUsed')}>{row.lastUsedAt === null ? t('never') : format.ago(row.lastUsedAt)}</Fact>
          <Fact name={t('expires')}>{row.expiresAt === null ? t('never') : format.moment(row.expiresAt)}</Fact>
          <Fact name={t('spent')}>
            <Money nano={row.spentNano} style="exact" />
          </Fact>
          <Fact name={t('requests')}>
            <span className="figures">{format.count(row.requests)}</span>
          </Fact>
        </dl>
      </Card>
      <Card>
        <CardHeader title={t('limits')} />
        <dl className="mt-1">
          <Fact name={t('limitTotal')}>
            <Limit spent={row.spentNano} limit={row.limitTotalNano} />
          </Fact>
          <Fact name={t('limitMonth')}>
            <Limit spent={row.spentMonthNano} limit={row.limitMonthNano} />
          </Fact>
          <Fact name={t('rates')}>{t('ratesText', rates)}</Fact>
          <Fact name={t('models')}>{row.modelAllow.length === 0 ? t('allModels') : row.modelAllow.join(', ')}</Fact>
          <Fact name={t('addresses')}>{row.addressAllow.length === 0 ? t('anywhere') : row.addressAllow.join(', ')}</Fact>
          <Fact name={t('history')}>{row.historyEnabled ? t('kept') : t('notKept')}</Fact>
        </dl>
      </Card>
    </div>
  )
}
