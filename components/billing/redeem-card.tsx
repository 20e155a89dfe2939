'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { useSWRConfig } from 'swr'
import { redeemed } from '#lib/contracts/billing'
import { formatMoney } from '#lib/domain/format-money'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { useErrorText } from '../use-error-text.ts'

/** Turns a code into credit. */
export function RedeemCard() {
  const t = useTranslations('billing')
  const errorText = useErrorText()
  const { mutate } = useSWRConfig()
  const [code, setCode] = useState('')
  const [error, setError] = useState<string | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (code.trim() === '') return
    setBusy(true)
    setError(undefined)
    try {
      const { amountNano, paidOwedNano } = await sendJson('POST', '/api/billing/redeem', redeemed, { code })
      const amount = formatMoney(amountNano).text
      const owed = formatMoney(paidOwedNano).text
      toast.success(BigInt(paidOwedNano) > 0n ? t('redeemedOwed', { amount, owed }) : t('redeemed', { amount }))
      setCode('')
      void mutate((key) => typeof key === 'string' && key.includes('/api/'))
    } catch (failure) {
      setError(errorText(failure))
    }
    setBusy(false)
  }
  return (
    <Card>
      <h2 className="font-semibold">{t('redeemTitle')}</h2>
      <form noValidate method="post" onSubmit={(event) => void submit(event)} className="mt-3 flex items-start gap-2">
        <Field label={<span className="sr-only">{t('code')}</span>} error={error} className="flex-1">
          {(control) => (
            <Input
              {...control}
              name="code"
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={64}
              placeholder="XXXXX-XXXXX-…"
              value={code}
              onChange={(event) => setCode(event.target.value)}
              className="mono"
            />
          )}
        </Field>
        <Button type="submit" disabled={busy || code.trim() === ''} className="mt-1.5 h-9">
          {t('redeem')}
        </Button>
      </form>
    </Card>
  )
}
