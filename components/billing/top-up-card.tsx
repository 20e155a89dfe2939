'use client'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { type Billing, topUp } from '#lib/contracts/billing'
import { formatMoney } from '#lib/domain/format-money'
import { formatDecimal } from '#lib/domain/money'
import { ApiError, sendJson } from '../fetch-json.ts'
import { newUuid } from '../new-uuid.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { NumberField } from '../ui/number-field.tsx'
import { useBfcacheRestore } from '../use-bfcache-restore.ts'
import { useErrorText } from '../use-error-text.ts'
import { readPayable } from './read-payable.ts'
import { SuspendedNote } from './suspended-note.tsx'

const PRESETS = [5n, 10n, 25n, 50n, 100n, 250n].map((units) => units * 1_000_000_000n)

const NO_ATTEMPT = { id: '', amount: '', saveCard: false }

/** Starts a payment on Stripe's page. A retry after a failure is the same payment. */
function useTopUp() {
  const errorText = useErrorText()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ReactNode>(null)
  const attempt = useRef(NO_ATTEMPT)
  useBfcacheRestore(() => {
    setBusy(false)
    attempt.current = NO_ATTEMPT
  })
  const pay = async (amount: string, saveCard: boolean) => {
    const { current } = attempt
    if (current.amount !== amount || current.saveCard !== saveCard) attempt.current = { id: newUuid(), amount, saveCard }
    setBusy(true)
    setError(null)
    try {
      const input = { requestId: attempt.current.id, amountNano: amount, saveCard }
      const { url } = await sendJson('POST', '/api/billing/top-up', topUp, input)
      window.location.assign(url)
    } catch (failure) {
      if (failure instanceof ApiError && failure.code === 'conflict') attempt.current = NO_ATTEMPT
      setError(errorText(failure))
      setBusy(false)
    }
  }
  return { busy, error, pay }
}

/** Asks for an amount and leads to the payment. */
export function TopUpCard({ data }: { data: Billing }) {
  const t = useTranslations('billing')
  const presets = PRESETS.filter((nano) => nano >= BigInt(data.minNano) && nano <= BigInt(data.maxNano))
  // A reader who returns from Stripe's page without having paid finds their choice again.
  const searchParams = useSearchParams()
  const cancelled = searchParams.get('cancelled')
  const defaultAmount = formatDecimal(presets.find((nano) => nano === PRESETS[2]) ?? BigInt(data.minNano))
  const [text, setText] = useState(cancelled !== null && 'nano' in readPayable(cancelled, data) ? cancelled : defaultAmount)
  const [showsErrors, setShowsErrors] = useState(false)
  const [saveCard, setSaveCard] = useState(searchParams.get('save') === 'yes')
  const { busy, error, pay } = useTopUp()
  const read = readPayable(text, data)
  const range = { least: formatMoney(data.minNano).text, most: formatMoney(data.maxNano).text }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setShowsErrors(true)
    if ('nano' in read) void pay(read.nano.toString(), saveCard)
  }
  const fault = showsErrors && 'fault' in read ? t(`faults.${read.fault}`, range) : undefined
  return (
    <Card>
      <CardHeader title={t('topUpTitle')} />
      <p className="mt-1 max-w-prose text-second">{t('topUpText')}</p>
      {cancelled !== null && (
        <p role="status" className="mt-3 rounded-md border px-3 py-2">
          {t('cancelled')}
        </p>
      )}
      <form noValidate method="post" onSubmit={submit} className="mt-4 flex flex-col gap-4">
        <fieldset className="grid grid-cols-3 gap-2 sm:grid-cols-6">
          <legend className="sr-only">{t('presets')}</legend>
          {presets.map((nano) => {
            const chosen = 'nano' in read && read.nano === nano
            return (
              <Button
                key={String(nano)}
                aria-pressed={chosen}
                onClick={() => setText(formatDecimal(nano))}
                className={chosen ? 'h-10 border-accent bg-tint text-accent hover:bg-tint' : 'h-10'}
              >
                <span className="figures">{`$${formatDecimal(nano)}`}</span>
              </Button>
            )
          })}
        </fieldset>
        <SuspendedNote />
        <div className="flex flex-wrap items-start gap-3">
          <NumberField
            label={t('amount')}
            hint={t('amountHint', range)}
            error={fault ?? error ?? undefined}
            className="min-w-0 flex-1 basis-44"
            name="amount"
            value={text}
            onChange={setText}
          />
          <Button type="submit" tone="primary" disabled={busy} className="h-9 w-full px-5 sm:mt-[26px] sm:w-auto">
            {busy ? t('opening') : 'nano' in read ? t('pay', { amount: formatMoney(read.nano).text }) : t('payNothing')}
          </Button>
        </div>
        <Checkbox checked={saveCard} onChange={setSaveCard} label={t('saveCard')} hint={t('saveCardHint')} />
      </form>
    </Card>
  )
}
