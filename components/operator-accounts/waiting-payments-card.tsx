'use client'
import { useTranslations } from 'next-intl'
import type { OperatorAccount } from '#lib/contracts/operator-accounts'
import { Money } from '../money.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Table, Td, Th } from '../ui/table.tsx'
import { useFormat } from '../use-format.ts'

/** Payments that were started and have not ended: those whose event was missed are among them. */
export function WaitingPaymentsCard({ payments }: { payments: OperatorAccount['waitingPayments'] }) {
  const t = useTranslations('operatorAccounts')
  const format = useFormat()
  if (payments.length === 0) return null
  return (
    <Card>
      <CardHeader title={t('waiting')} />
      <p className="mt-0.5 max-w-prose text-second">
        {t.rich('waitingText', { code: (text) => <code className="mono">{text}</code> })}
      </p>
      <Table className="mt-1" frameLabel={t('waiting')} frameClassName="max-h-96 overflow-y-auto">
        <thead>
          <tr>
            <Th>{t('payment')}</Th>
            <Th>{t('state')}</Th>
            <Th figures>{t('amount')}</Th>
            <Th figures className="max-md:hidden">
              {t('started')}
            </Th>
          </tr>
        </thead>
        <tbody>
          {payments.map(({ id, state, automatic, amountNano, createdAt }) => (
            <tr key={id}>
              <Td className="w-full max-w-0">
                <span className="mono block truncate">{id}</span>
                {automatic && <span className="block text-second text-sm">{t('automatic')}</span>}
              </Td>
              <Td className="whitespace-nowrap">{t(`waitingStates.${state}`)}</Td>
              <Td figures>
                <Money nano={amountNano} />
              </Td>
              <Td figures className="text-second max-md:hidden">
                <time dateTime={createdAt}>{format.moment(createdAt)}</time>
              </Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  )
}
