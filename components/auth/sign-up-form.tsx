'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { z } from 'zod'
import { type SignUpInput, signUpInput } from '#lib/contracts/session'
import type { Provider } from '#lib/contracts/sign-in'
import { ApiError, sendJson } from '../fetch-json.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { useErrorText } from '../use-error-text.ts'
import { enter } from './enter.ts'
import { NewPasswordField } from './new-password-field.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { safeNext } from './safe-next.ts'

const fields = ['name', 'email', 'password'] as const
type FieldName = (typeof fields)[number]
type Problem = { field: FieldName; text: string }

const isField = (name: unknown): name is FieldName => fields.some((field) => field === name)

/** Makes an account and signs in to it. What is wrong is said at its field, which gets the focus. */
export function SignUpForm({ next, providers }: { next: string | null; providers: readonly Provider[] }) {
  const t = useTranslations('auth')
  const errorText = useErrorText()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)

  const register = async (input: SignUpInput): Promise<Problem | null> => {
    try {
      await sendJson('POST', '/api/sign-up', z.unknown(), input)
    } catch (error) {
      const field = error instanceof ApiError && isField(error.field) ? error.field : 'email'
      return { field, text: errorText(error) }
    }
    const entered = await enter({ email: input.email, password: input.password }).catch(() => 'failed' as const)
    // The address may have had an account before: its owner was told by mail, and this page does not know.
    window.location.assign(entered === 'in' ? safeNext(next) : entered === 'failed' ? '/sign-in' : '/sign-in?signed-up')
    return null
  }

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const checked = signUpInput.safeParse(Object.fromEntries(new FormData(form)))
    setBusy(true)
    const wrong = checked.success ? await register(checked.data) : firstProblem(checked.error, t)
    setProblem(wrong)
    if (wrong === null) return
    setBusy(false)
    form.querySelector<HTMLInputElement>(`[name=${wrong.field}]`)?.focus()
  }

  const errorOf = (field: FieldName) => (problem?.field === field ? problem.text : undefined)
  return (
    <>
      <h1 className="mb-1 font-semibold text-3xl tracking-tight">{t('signUp')}</h1>
      <p className="mb-5 text-second">{t('signUpLead')}</p>
      <Card>
        <form method="post" data-early noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
          <Field label={t('name')} error={errorOf('name')}>
            {(control) => <Input {...control} name="name" autoComplete="name" required autoFocus maxLength={80} />}
          </Field>
          <Field label={t('email')} error={errorOf('email')}>
            {(control) => <Input {...control} name="email" type="email" autoComplete="username" required />}
          </Field>
          <NewPasswordField label={t('password')} hint={t('passwordHint')} error={errorOf('password')} />
          <Button type="submit" tone="primary" disabled={busy} className="mt-1 h-9">
            {busy ? t('signingUp') : t('signUp')}
          </Button>
        </form>
        <ProviderButtons providers={providers} next={next} />
      </Card>
      <p className="mt-4 text-center text-second">
        {t('haveAccount')}{' '}
        <Link
          href={next === null ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`}
          className="font-medium text-accent underline underline-offset-4"
        >
          {t('signIn')}
        </Link>
      </p>
    </>
  )
}

/** The first field, in the order of the form, that is not as it must be. */
function firstProblem(error: z.ZodError, t: (key: 'nameWrong' | 'emailWrong' | 'passwordWrong') => string): Problem {
  const named = error.issues.map((issue) => issue.path[0])
  const field = fields.find((name) => named.includes(name)) ?? 'email'
  return { field, text: t(`${field}Wrong`) }
}
