'use client'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { type ReactNode, useRef, useState } from 'react'
import { moneyResult, type OperatorAccount } from '#lib/contracts/operator-accounts'
import { formatMoney } from '#lib/domain/format-money'
import { Balance } from '../balance.tsx'
import { cn } from '../cn.ts'
import { sendJson } from '../fetch-json.ts'
import { Money } from '../money.tsx'
import { newUuid } from '../new-uuid.ts'
import { notLoaded } from '../not-loaded.tsx'
import { accountApi } from '../operator/paths.ts'
import { useMayChange } from '../operator/use-may-change.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { useRefusals } from './use-refusals.ts'

const ActDialog = dynamic(() => import('./reason-dialog.tsx').then((module) => module.ReasonDialog).catch(notLoaded), {
  ssr: false,
})

interface FigureProps {
  name: string
  note?: string
  className?: string
  children: ReactNode
}

const Figure = ({ name, note, className, children }: FigureProps) => (
  <div className={cn('min-w-0', className)}>
    <dt className="text-second">{name}</dt>
    {/* A long amount wraps to the next line and does not overlap its neighbor. */}
    <dd className="figures wrap-anywhere mt-0.5 font-[580] text-2xl tracking-[-0.02em] *:whitespace-normal">{children}</dd>
    {note !== undefined && <dd className="text-second text-sm">{note}</dd>}
  </div>
)

/** The balance of an account, with actions to grant or deduct credit. */
export function MoneyCard({ account, onDone }: { account: OperatorAccount; onDone: () => void }) {
  const t = useTranslations('operatorAccounts')
  const { isMoneyRefused } = useRefusals(account)
  const mayChange = useMayChange() && !isMoneyRefused && account.state !== 'closed'
  const [openVerb, setOpenVerb] = useState<'grant' | 'deduct' | null>(null)
  // One token for each opening of the dialog: a second click, or a retry after a lost response, books nothing twice.
  const token = useRef('')
  const openDialog = (verb: 'grant' | 'deduct') => {
    token.current = newUuid()
    setOpenVerb(verb)
  }
  const book = async (values: { amountNano: string; reason: string }) => {
    if (openVerb === null) return
    await sendJson('POST', accountApi(account.id, `/${openVerb}`), moneyResult, { ...values, token: token.current })
    toast.success(t(`${openVerb}Done`, { amount: formatMoney(values.amountNano, 'exact').text, name: account.name }))
    setOpenVerb(null)
    onDone()
  }
  const free = BigInt(account.balanceNano) - BigInt(account.leasedNano)
  const soft = 'text-lg font-normal tracking-normal'
  return (
    <Card>
      <CardHeader title={t('money')}>
        {mayChange && (
          <div className="flex gap-2">
            <Button tone="primary" size="small" onClick={() => openDialog('grant')}>
              {t('grant')}
            </Button>
            <Button size="small" onClick={() => openDialog('deduct')}>
              {t('deduct')}
            </Button>
          </div>
        )}
      </CardHeader>
      <dl className="mt-3 grid grid-cols-2 gap-x-6 gap-y-4 lg:grid-cols-4">
        <Figure name={t('balance')} className="max-lg:col-span-2" note={t('free', { amount: formatMoney(free, 'exact').text })}>
          <Balance nano={account.balanceNano} softClassName={soft} />
        </Figure>
        <Figure name={t('leased')} note={t('leasedText')}>
          <Money nano={account.leasedNano} style="exact" softClassName={soft} />
        </Figure>
        <Figure name={t('owed')} note={t('owedText')}>
          <Money nano={account.owedNano} style="exact" softClassName={soft} />
        </Figure>
        <Figure name={t('spentMonth')}>
          <Money nano={account.spentMonthNano} softClassName={soft} />
        </Figure>
      </dl>
      {openVerb !== null && (
        <ActDialog
          title={t(`${openVerb}Title`, { name: account.name })}
          text={openVerb === 'grant' ? t('grantText') : t('deductText', { amount: formatMoney(free, 'exact').text })}
          action={t(openVerb)}
          withAmount
          reasonHint={t('reasonSeen')}
          onSubmit={book}
          onClose={() => setOpenVerb(null)}
        />
      )}
    </Card>
  )
}
