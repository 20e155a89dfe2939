'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { z } from 'zod'
import { emailInput, type Security } from '#lib/contracts/sign-in'
import { sendJson } from '../fetch-json.ts'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Tag } from '../ui/tag.tsx'
import { useSubmit } from '../use-submit.ts'
import { CurrentPasswordField } from './current-password-field.tsx'
import { FormCard, TwoColumns } from './form-card.tsx'

/** Changes the address that the user signs in with, once they have confirmed the new one. */
export function EmailCard({ data }: { data: Security }) {
  const t = useTranslations('settings')
  const { busy, problem, setProblem, errorOf, run } = useSubmit()
  const [sentTo, setSentTo] = useState<string | null>(null)
  const change = async (form: FormData, element: HTMLFormElement) => {
    const password = form.get('password') || undefined
    const checked = emailInput.safeParse({ email: form.get('email'), ...(password === undefined ? {} : { password }) })
    setSentTo(null)
    if (!checked.success) return setProblem({ field: 'email', text: t('emailWrong') })
    const sent = await run(async () => void (await sendJson('POST', '/api/settings/email', z.unknown(), checked.data)))
    if (!sent) return
    setSentTo(checked.data.email)
    element.reset()
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
      {sentTo !== null && (
        <p role="status" className="rounded-md bg-tint px-3 py-2">
          {t(data.mail ? 'emailSent' : 'emailSentLog', { email: sentTo })}
        </p>
      )}
    </FormCard>
  )
}
