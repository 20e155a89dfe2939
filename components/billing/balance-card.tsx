'use client'
import { useTranslations } from 'next-intl'
import type { Billing } from '#lib/contracts/billing'
import { formatMoney } from '#lib/domain/format-money'
import { Balance } from '../balance.tsx'
import { Card } from '../ui/card.tsx'
import { useFormat } from '../use-format.ts'
import { useIsSuspendedByOperator } from './suspended-note.tsx'

/** The available balance, the amount owed, and pending payments. */
export function BalanceCard({ data }: { data: Billing }) {
  const t = useTranslations('billing')
  const format = useFormat()
  const isSuspended = useIsSuspendedByOperator()
  const owes = BigInt(data.owedNano) > 0n
  return (
    <Card className="lg:col-start-2">
      <h2 className="text-second">{t('balance')}</h2>
      <p className="mt-1 font-[580] text-3xl tracking-[-0.02em]" data-testid="balance">
        <Balance nano={data.balanceNano} softClassName="text-lg font-normal tracking-normal" />
      </p>
      {owes && <p className="mt-2 text-bad text-sm">{t('owed', { amount: formatMoney(data.owedNano, 'exact').text })}</p>}
      {isSuspended && <p className="mt-2 text-bad text-sm">{t('refused')}</p>}
      {!owes && !isSuspended && (
        <p className="mt-2 text-second text-sm">{t(BigInt(data.balanceNano) > 0n ? 'ready' : 'noBalance')}</p>
      )}
      {data.processing.map((payment) => (
        <p key={payment.id} className="mt-2 text-sm text-warn-ink">
          {t('processing', { amount: formatMoney(payment.amountNano).text, when: format.moment(payment.createdAt) })}
        </p>
      ))}
      {data.currency !== 'usd' && (
        <p className="mt-3 text-second text-sm">{t('currency', { currency: data.currency.toUpperCase() })}</p>
      )}
    </Card>
  )
}
