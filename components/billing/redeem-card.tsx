'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { useSWRConfig } from 'swr'
import { redeemResult } from '#lib/contracts/billing'
import { formatMoney } from '#lib/domain/format-money'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { useSubmit } from '../use-submit.ts'

/** Redeems a code for credit. */
export function RedeemCard() {
  const t = useTranslations('billing')
  const { mutate } = useSWRConfig()
  const [code, setCode] = useState('')
  const { busy, problem, run } = useSubmit()
  const redeem = async () => {
    const { amountNano, paidOwedNano } = await sendJson('POST', '/api/billing/redeem', redeemResult, { code })
    const amount = formatMoney(amountNano).text
    const owed = formatMoney(paidOwedNano).text
    toast.success(BigInt(paidOwedNano) > 0n ? t('redeemedOwed', { amount, owed }) : t('redeemed', { amount }))
    setCode('')
    void mutate((key) => typeof key === 'string' && key.includes('/api/'))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (code.trim() !== '') void run(redeem)
  }
  return (
    <Card>
      <h2 className="font-semibold">{t('redeemTitle')}</h2>
      <form noValidate method="post" onSubmit={submit} className="mt-3 flex items-start gap-2">
        <Field label={<span className="sr-only">{t('code')}</span>} error={problem?.text} className="flex-1">
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
