'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useState } from 'react'
import { z } from 'zod'
import { type SignUpInput, signUpInput } from '#lib/contracts/session'
import type { Provider } from '#lib/contracts/sign-in'
import { ApiError, sendJson } from '../fetch-json.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { useErrorText } from '../use-error-text.ts'
import { NewPasswordField } from './new-password-field.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { safeNext } from './safe-next.ts'
import { signInWithCredentials } from './sign-in.ts'

const fields = ['name', 'email', 'password'] as const
type FieldName = (typeof fields)[number]
type Problems = Partial<Record<FieldName, ReactNode>>

const isField = (name: unknown): name is FieldName => fields.some((field) => field === name)

/** Creates an account and signs in. Errors are shown at their fields, and the first invalid field gets the focus. */
export function SignUpForm({ next, providers }: { next: string | null; providers: readonly Provider[] }) {
  const t = useTranslations('auth')
  const errorText = useErrorText()
  const [busy, setBusy] = useState(false)
  const [problems, setProblems] = useState<Problems>({})

  const register = async (input: SignUpInput): Promise<Problems> => {
    try {
      await sendJson('POST', '/api/sign-up', z.unknown(), input)
    } catch (error) {
      const field = error instanceof ApiError && isField(error.field) ? error.field : 'email'
      return { [field]: errorText(error) }
    }
    const result = await signInWithCredentials({ email: input.email, password: input.password }).catch(() => 'failed' as const)
    // The address may already have had an account. Its owner was told by email, and this page does not know.
    window.location.assign(result === 'in' ? safeNext(next) : result === 'failed' ? '/sign-in' : '/sign-in?signed-up')
    return {}
  }

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const checked = signUpInput.safeParse(Object.fromEntries(new FormData(form)))
    setBusy(true)
    const invalid = checked.success ? await register(checked.data) : problemsOf(checked.error, t)
    setProblems(invalid)
    const first = fields.find((name) => invalid[name] !== undefined)
    if (first === undefined) return
    setBusy(false)
    form.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus()
  }

  return (
    <>
      <h1 className="mb-1 font-semibold text-3xl tracking-tight">{t('signUp')}</h1>
      <p className="mb-5 text-second">{t('signUpLead')}</p>
      <Card>
        <form method="post" data-early noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
          <Field label={t('name')} error={problems.name}>
            {(control) => <Input {...control} name="name" autoComplete="name" required autoFocus maxLength={80} />}
          </Field>
          <Field label={t('email')} error={problems.email}>
            {(control) => <Input {...control} name="email" type="email" autoComplete="username" required />}
          </Field>
          <NewPasswordField label={t('password')} hint={t('passwordHint')} error={problems.password} />
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

/** The invalid fields with their messages. */
function problemsOf(error: z.ZodError, t: (key: 'nameWrong' | 'emailWrong' | 'passwordWrong') => string): Problems {
  const fieldNames = error.issues.map((issue) => issue.path[0])
  const invalid = fields.filter((name) => fieldNames.includes(name))
  return Object.fromEntries((invalid.length > 0 ? invalid : (['email'] as const)).map((field) => [field, t(`${field}Wrong`)]))
}
