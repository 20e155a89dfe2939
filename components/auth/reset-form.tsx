'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { z } from 'zod'
import { resetInput } from '#lib/contracts/sign-in'
import { sendJson } from '../fetch-json.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useSubmit } from '../use-submit.ts'
import { AuthLink } from './auth-link.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { useHashToken } from './use-hash-token.ts'

/** Sets a new password for the person who has the link. */
export function ResetForm() {
  const t = useTranslations('signIn')
  const auth = useTranslations('auth')
  const token = useHashToken('token')
  const { busy, problem, setProblem, errorOf, run } = useSubmit()
  const [done, setDone] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const input = { token, password: new FormData(event.currentTarget).get('password') }
    const checked = resetInput.safeParse(input)
    if (!checked.success) {
      const hasInvalidToken = checked.error.issues.some((issue) => issue.path[0] === 'token')
      return setProblem(
        hasInvalidToken ? { field: 'token', text: t('noToken') } : { field: 'password', text: auth('passwordWrong') },
      )
    }
    if (await run(async () => void (await sendJson('POST', '/api/reset', z.unknown(), checked.data)))) setDone(true)
  }
  const general = problem?.field === 'password' ? undefined : problem?.text
  const isLinkInvalid = token === null || problem?.field === 'token'
  return (
    <>
      <h1 className="mb-1 font-semibold text-3xl tracking-tight">{t('resetTitle')}</h1>
      <p role="status" className="mb-5 text-second">
        {t(done ? 'resetDone' : token === null ? 'noToken' : 'resetLead')}
      </p>
      <FormError className="mb-4">{general}</FormError>
      {token === undefined && <Skeleton className="h-40 w-full rounded-lg" />}
      {token && !done && (
        <Card>
          <form method="post" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
            <NewPasswordField label={t('newPassword')} hint={auth('passwordHint')} error={errorOf('password')} autoFocus />
            <Button type="submit" tone="primary" disabled={busy} className="mt-1 h-9">
              {busy ? t('saving') : t('setPassword')}
            </Button>
          </form>
        </Card>
      )}
      <AuthLink href={isLinkInvalid ? '/forgot' : '/sign-in'}>{t(isLinkInvalid ? 'askAgain' : 'back')}</AuthLink>
    </>
  )
}
