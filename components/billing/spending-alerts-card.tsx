'use client'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { z } from 'zod'
import { type AlertRow, addedAlert, alertList } from '#lib/contracts/auto-top-up'
import { keyList } from '#lib/contracts/keys'
import { formatMoney } from '#lib/domain/format-money'
import { ApiError, sendJson } from '../fetch-json.ts'
import { LoadFailed } from '../load-failed.tsx'
import { readAmount } from '../read-amount.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import { NumberField } from '../ui/number-field.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useApi } from '../use-api.ts'
import { useErrorText } from '../use-error-text.ts'
import { useSubmit } from '../use-submit.ts'

const PATH = '/api/billing/alerts'

function Rule({ rule, onRemove }: { rule: AlertRow; onRemove: () => void }) {
  const t = useTranslations('spendingAlerts')
  const what = { amount: formatMoney(rule.amountNano).text, who: rule.keyName ?? t('account') }
  const name = t(`rule.${rule.period}`, what)
  const reached = BigInt(rule.spentNano) >= BigInt(rule.amountNano)
  return (
    <li className="flex items-start gap-2 border-line-soft border-b py-2 last:border-b-0">
      <p className="min-w-0 flex-1 break-words">
        {name}
        <span className={reached ? 'block text-sm text-warn-ink' : 'block text-second text-sm'}>
          {t(`spent.${rule.period}`, { amount: formatMoney(rule.spentNano).text })}
        </span>
      </p>
      <Button tone="ghost" size="tiny" aria-label={t('remove', { rule: name })} onClick={onRemove}>
        <X aria-hidden className="size-4" />
      </Button>
    </li>
  )
}

function AddForm({ onAdded }: { onAdded: () => void }) {
  const t = useTranslations('spendingAlerts')
  const keys = useApi('/api/keys', keyList).data?.rows.filter((key) => key.state !== 'revoked') ?? []
  const [text, setText] = useState('')
  const [period, setPeriod] = useState('day')
  const [keyId, setKeyId] = useState('')
  const { busy, problem, setProblem, run } = useSubmit()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const read = readAmount(text)
    if ('fault' in read || read.value === null) return setProblem({ field: null, text: t('fault') })
    const amountNano = read.value
    void run(async () => {
      await sendJson('POST', PATH, addedAlert, { amountNano, period, keyId: keyId === '' ? null : keyId })
      setText('')
      onAdded()
    })
  }
  return (
    <form noValidate method="post" onSubmit={submit} className="mt-3 flex flex-col gap-2">
      <NumberField label={t('amount')} error={problem?.text} name="alertAmount" value={text} onChange={setText} />
      <div className="flex flex-wrap gap-2">
        <NativeSelect
          label={t('period')}
          value={period}
          onChange={setPeriod}
          options={[
            { value: 'day', label: t('day') },
            { value: 'month', label: t('month') },
          ]}
        />
        <NativeSelect
          label={t('of')}
          value={keyId}
          onChange={setKeyId}
          options={[{ value: '', label: t('account') }, ...keys.map((key) => ({ value: key.id, label: key.name }))]}
        />
        <Button type="submit" disabled={busy} className="h-9">
          {t('add')}
        </Button>
      </div>
    </form>
  )
}

/** The spending alerts of the account. */
export function SpendingAlertsCard() {
  const t = useTranslations('spendingAlerts')
  const errorText = useErrorText()
  const { data, error, mutate } = useApi(PATH, alertList, { refreshInterval: 30_000 })
  const remove = async (rule: AlertRow) => {
    try {
      await sendJson('DELETE', `${PATH}/${encodeURIComponent(rule.id)}`, z.unknown())
    } catch (failure) {
      // An alert that was removed in another window counts as removed.
      if (!(failure instanceof ApiError && failure.code === 'not_found')) toast.error(errorText(failure))
    }
    void mutate()
  }
  return (
    <Card>
      <h2 className="font-semibold">{t('title')}</h2>
      <p className="mt-1 text-second text-sm">{t('text')}</p>
      {data === undefined ? (
        error === undefined ? (
          <Skeleton className="mt-3 h-10 w-full" />
        ) : (
          <LoadFailed error={error} onRetry={() => void mutate()} />
        )
      ) : (
        data.rows.length > 0 && (
          <ul className="mt-2">
            {data.rows.map((rule) => (
              <Rule key={rule.id} rule={rule} onRemove={() => void remove(rule)} />
            ))}
          </ul>
        )
      )}
      <AddForm onAdded={() => void mutate()} />
    </Card>
  )
}
