'use client'
import { CircleCheck, CircleX, Clock, X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useEffect } from 'react'
import { useSWRConfig } from 'swr'
import { type PaymentView, payment } from '#lib/contracts/billing'
import { formatMoney } from '#lib/domain/format-money'
import { cn } from '../cn.ts'
import { Button } from '../ui/button.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { useApi } from '../use-api.ts'
import { useLate } from './use-late.ts'

const FAST_POLL_MS = 1000
const SLOW_POLL_MS = 10_000

const isFinal = (state: PaymentView['state'] | undefined): boolean =>
  state === 'paid' || state === 'expired' || state === 'failed'

const variants = {
  wait: { Icon: Clock, styles: 'bg-panel [&>svg]:text-second' },
  good: { Icon: CircleCheck, styles: 'border-accent bg-tint [&>svg]:text-accent' },
  bad: { Icon: CircleX, styles: 'border-bad bg-bad-tint [&>svg]:text-bad' },
}

/** Polls the payment that the reader returns from until its event has arrived, and then reloads the balance. */
export function PaymentWatch({ id }: { id: string }) {
  const t = useTranslations('billing.watch')
  const { mutate } = useSWRConfig()
  const late = useLate(true)
  const { data, error } = useApi(`/api/billing/payments/${encodeURIComponent(id)}`, payment, {
    refreshInterval: (latest) => (isFinal(latest?.state) ? 0 : late ? SLOW_POLL_MS : FAST_POLL_MS),
  })
  const state = data?.state
  useEffect(() => {
    // Everything that shows money: the card, the list, and the balance on other pages.
    const showsMoney = (key: unknown) =>
      typeof key === 'string' && /\/api\/(billing(\/(transactions.*|auto-top-up))?|overview.*|me)$/.test(key)
    if (state === 'paid') void mutate(showsMoney)
  }, [state, mutate])
  const unknown = data === undefined && error !== undefined
  const { Icon, styles } = variants[state === 'paid' ? 'good' : isFinal(state) || unknown ? 'bad' : 'wait']
  const amount = data === undefined ? '…' : formatMoney(data.amountNano).text
  const owed = BigInt(data?.paidOwedNano ?? 0)
  const rest = BigInt(data?.amountNano ?? 0) - owed
  const paid = owed === 0n ? 'paid' : rest === 0n ? 'paidDebt' : 'paidBoth'
  const name = state === 'open' && late ? 'late' : state === 'paid' ? paid : (state ?? 'open')
  return (
    <div role="status" className={cn('flex items-center gap-3 rounded-lg border px-4 py-3', styles)}>
      <Icon aria-hidden className="size-[18px] shrink-0" />
      <p className="min-w-0 flex-1">
        {unknown ? t('unknown') : t(name, { amount, owed: formatMoney(owed).text, rest: formatMoney(rest).text })}
      </p>
      <Button tone="ghost" size="tiny" aria-label={t('dismiss')} onClick={() => updateSearchParams({ payment: null })}>
        <X aria-hidden className="size-4" />
      </Button>
    </div>
  )
}
