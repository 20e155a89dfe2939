'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useState } from 'react'
import { z } from 'zod'
import type { Closing } from '#lib/contracts/account'
import { formatMoney } from '#lib/domain/format-money'
import { ApiError, sendJson } from '../fetch-json.ts'
import { signOut } from '../shell/sign-out.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Field } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Input } from '../ui/input.tsx'
import { useSubmit } from '../use-submit.ts'
import { TwoColumns } from './form-card.tsx'

interface CloseCardProps {
  data: Closing
  /** The data that was shown is outdated. */
  onChanged: () => void
}

/** What has to be done before the account can be closed. Null if nothing. */
function obstacleOf({ owedNano, heldNano, heldTasks, paying, signInAgain }: Closing) {
  if (BigInt(owedNano) > 0n) return 'owed'
  if (BigInt(heldNano) > 0n) return heldTasks > 0 ? 'heldVideos' : 'held'
  return paying ? 'paying' : signInAgain ? 'signInAgain' : null
}

const historyLink = (chunks: ReactNode) => (
  <Link href="/history" className="rounded-sm font-medium underline underline-offset-4">
    {chunks}
  </Link>
)

/** What is deleted and what stays, and what has to be done first. */
function Consequences({ data }: { data: Closing }) {
  const t = useTranslations('account')
  const obstacle = obstacleOf(data)
  return (
    <>
      <ul className="mt-2 flex max-w-prose list-disc flex-col gap-1 pl-5 text-second">
        <li>{t('closeKeys', { count: data.keys })}</li>
        <li>{t('closeErased')}</li>
        <li>{t('closeKept')}</li>
        <li>{t('closeForGood')}</li>
      </ul>
      {obstacle !== null && (
        <p className="mt-4 rounded-md bg-warn-tint px-3 py-2">{t.rich(`obstacles.${obstacle}`, { history: historyLink })}</p>
      )}
    </>
  )
}

/** Proves that the account holder is the one who closes the account. */
interface Proof {
  email: string
  password: string
}

interface ProofFieldsProps {
  proof: Proof
  onChange: (proof: Proof) => void
  data: Closing
  errorOf: (field: string) => ReactNode
}

function ProofFields({ proof, onChange, data, errorOf }: ProofFieldsProps) {
  const t = useTranslations('account')
  return (
    <TwoColumns>
      <Field label={t('emailLabel')} hint={t('emailHint', { email: data.email })} error={errorOf('email')}>
        {(control) => (
          <Input
            {...control}
            name="email"
            autoComplete="off"
            value={proof.email}
            onChange={(event) => onChange({ ...proof, email: event.target.value })}
          />
        )}
      </Field>
      {data.hasPassword && (
        <Field label={t('passwordLabel')} error={errorOf('password')}>
          {(control) => (
            <Input
              {...control}
              type="password"
              name="password"
              autoComplete="current-password"
              value={proof.password}
              onChange={(event) => onChange({ ...proof, password: event.target.value })}
            />
          )}
        </Field>
      )}
    </TwoColumns>
  )
}

/** Closes the account. Says what is deleted, what stays and what is lost, and asks twice. */
export function CloseCard({ data, onChanged }: CloseCardProps) {
  const t = useTranslations('account')
  const { busy, problem, setProblem, errorOf, run } = useSubmit()
  const [proof, setProof] = useState<Proof>({ email: '', password: '' })
  const [isForfeited, setIsForfeited] = useState(false)
  const [asking, setAsking] = useState(false)
  const [leaving, setLeaving] = useState(false)
  const hasBalance = BigInt(data.balanceNano) > 0n
  const amount = formatMoney(data.balanceNano, 'exact').text
  const strong = (chunks: ReactNode) => <strong className="font-semibold">{chunks}</strong>
  const closing = busy || leaving

  const ask = (event: FormEvent) => {
    event.preventDefault()
    setProblem(null)
    const { email, password } = proof
    if (email.trim().toLowerCase() !== data.email) setProblem({ field: 'email', text: t('emailWrong', { email: data.email }) })
    else if (data.hasPassword && password === '') setProblem({ field: 'password', text: t('passwordMissing') })
    else if (hasBalance && !isForfeited) setProblem({ field: 'forfeitNano', text: t('forfeitMissing') })
    else setAsking(true)
  }
  const close = () =>
    run(async () => {
      const { email, password } = proof
      const forfeitNano = hasBalance ? data.balanceNano : null
      const input = { email: email.trim(), ...(data.hasPassword ? { password } : {}), forfeitNano }
      try {
        await sendJson('POST', '/api/account/close', z.unknown(), input)
        await signOut('/sign-in?closed=1')
        setLeaving(true)
      } catch (failure) {
        // The balance has changed since the reader gave it up, so they have to confirm again.
        if (failure instanceof ApiError && failure.field === 'forfeitNano') setIsForfeited(false)
        onChanged()
        throw failure
      }
    })
  return (
    <Card>
      <CardHeader title={t('closeTitle')} />
      <Consequences data={data} />
      <form noValidate method="post" onSubmit={ask} className="mt-5 flex flex-col gap-4">
        <ProofFields proof={proof} onChange={setProof} data={data} errorOf={errorOf} />
        {hasBalance && <Checkbox checked={isForfeited} onChange={setIsForfeited} label={t.rich('forfeit', { amount, strong })} />}
        {(problem?.field === null || problem?.field === 'forfeitNano') && <FormError>{problem.text}</FormError>}
        <div>
          <Button type="submit" tone="danger" disabled={closing || obstacleOf(data) !== null}>
            {closing ? t('closing') : t('close')}
          </Button>
        </div>
      </form>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('confirmTitle')}
        description={hasBalance ? t('confirmForfeit', { amount }) : t('confirmText')}
        action={t('close')}
        onConfirm={() => void close()}
      />
    </Card>
  )
}
