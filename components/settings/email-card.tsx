'use client'
import { useTranslations } from 'next-intl'
import { useRef } from 'react'
import { z } from 'zod'
import { emailInput, type Security } from '#lib/contracts/sign-in'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Input } from '../ui/input.tsx'
import { Tag } from '../ui/tag.tsx'
import { useFormat } from '../use-format.ts'
import { useSubmit } from '../use-submit.ts'
import { CurrentPasswordField } from './current-password-field.tsx'
import { FormCard, TwoColumns } from './form-card.tsx'

interface EmailCardProps {
  data: Security
  /** Reloads the data. */
  onChanged: () => Promise<unknown>
}

/** Says which address a link was sent to, and cancels the change. */
function PendingChange({ data: { newEmail, mail }, onChanged }: EmailCardProps) {
  const t = useTranslations('settings')
  const format = useFormat()
  const { busy, problem, run } = useSubmit()
  const area = useRef<HTMLDivElement>(null)
  if (newEmail === null) return null
  const { email, expiresAt } = newEmail
  const cancel = () =>
    run(async () => {
      await sendJson('DELETE', '/api/settings/email', z.unknown())
      toast.success(t('emailCanceled', { email }))
      // The button with the focus is about to go.
      area.current?.closest('form')?.querySelector('input')?.focus()
      await onChanged()
    })
  return (
    <div ref={area} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md bg-tint px-3 py-2">
      <p role="status" className="wrap-anywhere min-w-0 flex-1 basis-60">
        {t(mail ? 'emailSent' : 'emailSentLog', { email, time: format.moment(expiresAt) })}
      </p>
      <Button size="small" disabled={busy} onClick={() => void cancel()}>
        {t('emailCancel')}
      </Button>
      <FormError>{problem?.text}</FormError>
    </div>
  )
}

/** Changes the address that the user signs in with, once they have confirmed the new one. */
export function EmailCard({ data, onChanged }: EmailCardProps) {
  const t = useTranslations('settings')
  const { busy, problem, setProblem, errorOf, run } = useSubmit()
  const change = async (form: FormData, element: HTMLFormElement) => {
    const password = form.get('password') || undefined
    const checked = emailInput.safeParse({ email: form.get('email'), ...(password === undefined ? {} : { password }) })
    if (!checked.success) return setProblem({ field: 'email', text: t('emailWrong') })
    const sent = await run(async () => void (await sendJson('POST', '/api/settings/email', z.unknown(), checked.data)))
    if (!sent) return
    element.reset()
    await onChanged()
  }
  const known = problem?.field === 'email' || problem?.field === 'password'
  return (
    <FormCard
      title={t('emailTitle')}
      aside={<Tag tone={data.emailVerified ? 'good' : 'warn'}>{t(data.emailVerified ? 'confirmed' : 'unconfirmed')}</Tag>}
      text={
        <>
          {t('emailNow')} <span className="wrap-anywhere text-ink">{data.email}</span>
        </>
      }
      error={known ? undefined : problem?.text}
      action={t('emailChange')}
      disabled={busy}
      onSubmit={(form, element) => void change(form, element)}
    >
      <TwoColumns>
        <Field label={t('emailLabel')} hint={t('emailHint')} error={errorOf('email')}>
          {(control) => <Input {...control} name="email" type="email" autoComplete="off" maxLength={254} required />}
        </Field>
        {data.hasPassword && <CurrentPasswordField label={t('passwordLabel')} name="password" error={errorOf('password')} />}
      </TwoColumns>
      <PendingChange data={data} onChanged={onChanged} />
    </FormCard>
  )
}
