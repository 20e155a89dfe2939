'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useState } from 'react'
import { z } from 'zod'
import { forgotInput } from '#lib/contracts/sign-in'
import { sendJson } from '../fetch-json.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { useSubmit } from '../use-submit.ts'
import { AuthLink } from './auth-link.tsx'

const code = (chunks: ReactNode) => <code className="mono whitespace-nowrap">{chunks}</code>

/** Requests a link to set a new password. The confirmation is the same for every address. */
export function ForgotForm({ mail }: { mail: boolean }) {
  const t = useTranslations('signIn')
  const auth = useTranslations('auth')
  const { busy, problem, setProblem, run } = useSubmit()
  const [sentTo, setSentTo] = useState<string | null>(null)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const checked = forgotInput.safeParse({ email: new FormData(event.currentTarget).get('email') })
    if (!checked.success) return setProblem({ field: 'email', text: auth('emailWrong') })
    await run(async () => {
      await sendJson('POST', '/api/forgot', z.unknown(), checked.data)
      setSentTo(checked.data.email)
    })
  }
  return (
    <>
      <h1 className="mb-1 font-semibold text-3xl tracking-tight">{t(sentTo === null ? 'forgotTitle' : 'sentTitle')}</h1>
      <p role="status" className="mb-5 text-second">
        {sentTo === null ? t('forgotLead') : t('sentText', { email: sentTo })}
      </p>
      {!mail && <p className="mb-4 rounded-md bg-warn-tint px-3 py-2 text-sm">{t.rich('inLog', { code })}</p>}
      {sentTo === null && (
        <Card>
          <form method="post" data-early noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
            <Field label={auth('email')} error={problem?.text}>
              {(control) => <Input {...control} name="email" type="email" autoComplete="username" required autoFocus />}
            </Field>
            <Button type="submit" tone="primary" disabled={busy} className="mt-1 h-9">
              {busy ? t('sending') : t('sendLink')}
            </Button>
          </form>
        </Card>
      )}
      <AuthLink href="/sign-in">{t('back')}</AuthLink>
    </>
  )
}
