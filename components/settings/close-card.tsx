'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useState } from 'react'
import { z } from 'zod'
import type { Closing } from '#lib/contracts/account'
import { formatMoney } from '#lib/domain/format-money'
import { ApiError, sendJson } from '../fetch-json.ts'
import { leave } from '../shell/leave.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHead } from '../ui/card.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { FaultNote } from '../ui/fault-note.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { useErrorText } from '../use-error-text.ts'

interface CloseCardProps {
  data: Closing
  /** What was shown is not so any more. */
  onChanged: () => void
}

/** What has to be done first. */
function obstacleOf({ owedNano, heldNano, paying, signInAgain }: Closing) {
  if (BigInt(owedNano) > 0n) return 'owed'
  if (BigInt(heldNano) > 0n) return 'held'
  return paying ? 'paying' : signInAgain ? 'signInAgain' : null
}

/** Closes the account: says what goes, what stays, and what is lost, and asks twice. */
export function CloseCard({ data, onChanged }: CloseCardProps) {
  const t = useTranslations('account')
  const errorText = useErrorText()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [given, setGiven] = useState(false)
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<{ field: string | null; text: string } | null>(null)
  const balance = BigInt(data.balanceNano)
  const amount = formatMoney(data.balanceNano, 'exact').text
  const obstacle = obstacleOf(data)
  const at = (field: string) => (fault?.field === field ? fault.text : undefined)
  const strong = (chunks: ReactNode) => <strong className="font-semibold">{chunks}</strong>

  const ask = (event: FormEvent) => {
    event.preventDefault()
    setFault(null)
    if (email.trim().toLowerCase() !== data.email) setFault({ field: 'email', text: t('emailWrong', { email: data.email }) })
    else if (data.hasPassword && password === '') setFault({ field: 'password', text: t('passwordMissing') })
    else if (balance > 0n && !given) setFault({ field: 'forfeitNano', text: t('forfeitMissing') })
    else setAsking(true)
  }
  const close = async () => {
    setBusy(true)
    try {
      const forfeitNano = balance > 0n ? data.balanceNano : null
      const proof = data.hasPassword ? { password } : {}
      await sendJson('POST', '/api/account/close', z.unknown(), { email: email.trim(), ...proof, forfeitNano })
      await leave('/sign-in?closed=1')
    } catch (failure) {
      const field = failure instanceof ApiError ? failure.field : null
      setFault({ field, text: errorText(failure) })
      // Another balance than the one that was given up: it is asked for anew.
      if (field === 'forfeitNano') setGiven(false)
      onChanged()
      setBusy(false)
    }
  }
  return (
    <Card>
      <CardHead title={t('closeTitle')} />
      <ul className="mt-2 flex max-w-prose list-disc flex-col gap-1 pl-5 text-second">
        <li>{t('closeKeys', { count: data.keys })}</li>
        <li>{t('closeErased')}</li>
        <li>{t('closeKept')}</li>
        <li>{t('closeForGood')}</li>
      </ul>
      {obstacle !== null && <p className="mt-4 rounded-md bg-warn-tint px-3 py-2">{t(`obstacles.${obstacle}`)}</p>}
      <form noValidate method="post" onSubmit={ask} className="mt-5 flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t('emailLabel')} hint={t('emailHint', { email: data.email })} error={at('email')}>
            {(control) => (
              <Input
                {...control}
                name="email"
                autoComplete="off"
                value={email}
                onChange={(event) => setEmail(event.target.value)}
              />
            )}
          </Field>
          {data.hasPassword && (
            <Field label={t('passwordLabel')} error={at('password')}>
              {(control) => (
                <Input
                  {...control}
                  type="password"
                  name="password"
                  autoComplete="current-password"
                  value={password}
                  onChange={(event) => setPassword(event.target.value)}
                />
              )}
            </Field>
          )}
        </div>
        {balance > 0n && <Checkbox checked={given} onChange={setGiven} label={t.rich('forfeit', { amount, strong })} />}
        {(fault?.field === null || fault?.field === 'forfeitNano') && <FaultNote>{fault.text}</FaultNote>}
        <div>
          <Button type="submit" tone="danger" disabled={busy || obstacle !== null}>
            {busy ? t('closing') : t('close')}
          </Button>
        </div>
      </form>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('confirmTitle')}
        description={balance > 0n ? t('confirmForfeit', { amount }) : t('confirmText')}
        action={t('close')}
        onConfirm={() => void close()}
      />
    </Card>
  )
}
