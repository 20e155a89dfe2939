'use client'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useSWRConfig } from 'swr'
import { type AutoTopUpView, autoTopUp } from '#lib/contracts/auto-top-up'
import type { Billing } from '#lib/contracts/billing'
import { cardName } from '#lib/domain/card-name'
import { formatMoney } from '#lib/domain/format-money'
import { sendJson } from '../fetch-json.ts'
import { LoadFailed } from '../load-failed.tsx'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { useApi } from '../use-api.ts'
import { useFormat } from '../use-format.ts'
import { useSubmit } from '../use-submit.ts'
import { PlanFields } from './plan-fields.tsx'
import { equalsSettings, initialTexts, type Plan, readPlan } from './plan-form.ts'
import { PlanNote, PlanTag } from './plan-state.tsx'
import { SavedCard } from './saved-card.tsx'
import { useLate } from './use-late.ts'

const PATH = '/api/billing/auto-top-up'
const FAST_POLL_MS = 1000
const SLOW_POLL_MS = 10_000

/** Whether a change is expected: a payment ends or starts, or a card arrives. */
const isChangeExpected = ({ state, settings, freeNano }: AutoTopUpView, awaited: boolean): boolean =>
  state === 'under_way' || awaited || (state === 'on' && settings !== null && BigInt(freeNano) < BigInt(settings.thresholdNano))

/** Describes in one sentence, with its amounts, what will happen. */
function PlanSummary({ plan, data }: { plan: Plan; data: AutoTopUpView }) {
  const t = useTranslations('autoTopUp')
  const format = useFormat()
  const money = (nano: bigint | string) => formatMoney(nano).text
  const amounts = { threshold: money(plan.threshold), amount: money(plan.amount), ceiling: money(plan.ceiling) }
  const paysNow = BigInt(data.freeNano) < plan.threshold && (data.state === 'on' || data.state === 'off')
  return (
    <p className="max-w-prose text-second">
      {format.sentences([
        data.card === null ? t('promiseNoCard', amounts) : t('promise', { ...amounts, card: cardName(data.card) }),
        BigInt(data.paidMonthNano) > 0n && t('used', { used: money(data.paidMonthNano) }),
        data.card !== null && paysNow && t('soon'),
      ])}
    </p>
  )
}

interface PlanFormProps {
  data: AutoTopUpView
  billing: Billing
  onSaved: (data: AutoTopUpView) => void
}

function PlanForm({ data, billing, onSaved }: PlanFormProps) {
  const t = useTranslations('autoTopUp')
  const [texts, setTexts] = useState(() => initialTexts(data.settings, billing))
  const [consent, setConsent] = useState(false)
  const [hasSubmitted, setHasSubmitted] = useState(false)
  const { busy, problem, run } = useSubmit()
  const read = readPlan(texts, billing)
  const isUnchanged = data.enabled && 'plan' in read && equalsSettings(read.plan, data.settings)
  const send = (body: object, done: string) =>
    run(async () => {
      onSaved(await sendJson('POST', PATH, autoTopUp, body))
      toast.success(done)
      setConsent(false)
      setHasSubmitted(false)
    })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setHasSubmitted(true)
    if (!('plan' in read) || !consent) return
    const { threshold, amount, ceiling } = read.plan
    const amounts = { thresholdNano: String(threshold), amountNano: String(amount), ceilingNano: String(ceiling) }
    void send({ enabled: true, consent: true, ...amounts }, t('isOn'))
  }
  const formError = problem?.text ?? (hasSubmitted && 'plan' in read && !consent ? t('faults.consent') : null)
  return (
    <form noValidate method="post" data-saves onSubmit={submit} className="flex flex-col gap-4">
      <PlanFields
        texts={texts}
        faults={'faults' in read && hasSubmitted ? read.faults : {}}
        billing={billing}
        onChange={(changes) => setTexts({ ...texts, ...changes })}
      />
      {'plan' in read && <PlanSummary plan={read.plan} data={data} />}
      {!isUnchanged && <Checkbox checked={consent} onChange={setConsent} label={t('consent')} hint={t('consentHint')} />}
      {formError !== null && (
        <p role="alert" className="text-bad text-sm">
          {formError}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {!isUnchanged && (
          <Button type="submit" tone="primary" disabled={busy || data.card === null}>
            {t(data.enabled ? 'saveChanges' : 'switchOn')}
          </Button>
        )}
        {data.enabled && (
          <Button disabled={busy} onClick={() => void send({ enabled: false }, t('isOff'))}>
            {t('switchOff')}
          </Button>
        )}
      </div>
    </form>
  )
}

const AutoTopUpSkeleton = () => (
  <div className="mt-4 flex flex-col gap-4">
    <Skeleton className="h-7 w-full" />
    <Skeleton className="h-16 w-full" />
    <Skeleton className="h-10 w-full" />
  </div>
)

/** The saved card and the automatic payments with it. */
export function AutoTopUpCard({ billing }: { billing: Billing }) {
  const t = useTranslations('autoTopUp')
  const { mutate: mutateAll } = useSWRConfig()
  const awaited = useSearchParams().get('card') === 'saved'
  // A new card may take the place of another one, so whether there is a card says nothing about it.
  const late = useLate(awaited)
  const { data, error, mutate } = useApi(PATH, autoTopUp, {
    refreshInterval: (latest) =>
      latest !== undefined && isChangeExpected(latest, awaited && !late) ? FAST_POLL_MS : SLOW_POLL_MS,
  })
  const previousState = useRef(data?.state)
  useEffect(() => {
    // The payment has succeeded or failed, so everything that shows money is reloaded.
    if (previousState.current === 'under_way' && data?.state !== 'under_way')
      void mutateAll((key) => typeof key === 'string' && /\/api\/(billing(\/transactions.*)?|overview.*|me)$/.test(key))
    previousState.current = data?.state
  }, [data, mutateAll])
  const onRemoved = () => {
    updateSearchParams({ card: null })
    void mutate()
  }
  if (data === undefined && error !== undefined)
    return (
      <Card>
        <LoadFailed error={error} onRetry={() => void mutate()} />
      </Card>
    )
  return (
    <Card>
      <CardHeader title={t('title')}>{data?.payable && <PlanTag data={data} />}</CardHeader>
      {data === undefined ? (
        <AutoTopUpSkeleton />
      ) : data.payable ? (
        <div className="mt-3 flex flex-col gap-4">
          <SavedCard card={data.card} awaited={awaited} onRemoved={onRemoved} />
          <PlanNote data={data} />
          <PlanForm
            key={JSON.stringify(data.settings)}
            data={data}
            billing={billing}
            onSaved={(next) => void mutate(next, { revalidate: false })}
          />
        </div>
      ) : (
        <p className="mt-1 max-w-prose text-second">{t('notPayable')}</p>
      )}
    </Card>
  )
}
