'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useState } from 'react'
import { z } from 'zod'
import type { Billing } from '#lib/contracts/billing'
import { formatMoney } from '#lib/domain/format-money'
import { formatDecimal } from '#lib/domain/money'
import { sendJson } from '../fetch-json.ts'
import { readAmount } from '../read-amount.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { NumberField } from '../ui/number-field.tsx'
import { useSubmit } from '../use-submit.ts'

const code = (chunks: ReactNode) => <code className="mono whitespace-nowrap">{chunks}</code>

/** Sets the balance below which an email is sent. */
export function AlertCard({ data, onSaved }: { data: Billing; onSaved: () => void }) {
  const t = useTranslations('billing')
  const [text, setText] = useState(data.lowBalanceNano === null ? '' : formatDecimal(BigInt(data.lowBalanceNano)))
  const { busy, problem, setProblem, run } = useSubmit()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const read = readAmount(text)
    if ('fault' in read) return setProblem({ field: null, text: t('faults.amount') })
    void run(async () => {
      await sendJson('POST', '/api/billing/low-balance', z.unknown(), { amountNano: read.value })
      toast.success(read.value === null ? t('alertOff') : t('alertSaved', { amount: formatMoney(read.value).text }))
      onSaved()
    })
  }
  return (
    <Card>
      <h2 className="font-semibold">{t('alertTitle')}</h2>
      <form noValidate method="post" data-saves onSubmit={submit} className="mt-3 flex items-start gap-2">
        <NumberField
          label={t('alertLabel')}
          hint={t('alertHint', { email: data.email })}
          error={problem?.text}
          className="flex-1"
          name="lowBalance"
          value={text}
          onChange={setText}
        />
        <Button type="submit" disabled={busy} className="mt-[26px] h-9">
          {t('save')}
        </Button>
      </form>
      {!data.mail && <p className="mt-3 rounded-md bg-warn-tint px-3 py-2 text-sm">{t.rich('alertLog', { code })}</p>}
    </Card>
  )
}
