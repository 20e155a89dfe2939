'use client'
import { useTranslations } from 'next-intl'
import { useEffect } from 'react'
import { useSWRConfig } from 'swr'
import { type PaymentView, payment } from '#lib/contracts/billing'
import { formatMoney } from '#lib/domain/format-money'
import { updateSearchParams } from '../update-search-params.ts'
import { useApi } from '../use-api.ts'
import { ReturnBanner } from './return-banner.tsx'
import { useLate } from './use-late.ts'

const FAST_POLL_MS = 1000
const SLOW_POLL_MS = 10_000

const isFinal = (state: PaymentView['state'] | undefined): boolean =>
  state === 'paid' || state === 'expired' || state === 'failed'

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
  const variant = state === 'paid' ? 'good' : isFinal(state) || unknown ? 'bad' : 'wait'
  const amount = data === undefined ? '…' : formatMoney(data.amountNano).text
  const owed = BigInt(data?.paidOwedNano ?? 0)
  const rest = BigInt(data?.amountNano ?? 0) - owed
  const paid = owed === 0n ? 'paid' : rest === 0n ? 'paidDebt' : 'paidBoth'
  const name = state === 'open' && late ? 'late' : state === 'paid' ? paid : (state ?? 'open')
  return (
    <ReturnBanner variant={variant} onDismiss={() => updateSearchParams({ payment: null })}>
      {unknown ? t('unknown') : t(name, { amount, owed: formatMoney(owed).text, rest: formatMoney(rest).text })}
    </ReturnBanner>
  )
}
