'use client'
import { useTranslations } from 'next-intl'
import { useSWRConfig } from 'swr'
import { z } from 'zod'
import { passwordInput } from '#lib/contracts/sign-in'
import { NewPasswordField } from '../auth/new-password-field.tsx'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { useSubmit } from '../use-submit.ts'
import { CurrentPasswordField } from './current-password-field.tsx'
import { FormCard, TwoColumns } from './form-card.tsx'

/** Changes the password, or sets the first one for a user who signs in with a provider. */
export function PasswordCard({ hasPassword }: { hasPassword: boolean }) {
  const t = useTranslations('security.password')
  const errors = useTranslations('errors')
  const { mutate } = useSWRConfig()
  const { busy, problem, setProblem, errorOf, run } = useSubmit()
  const change = async (form: FormData, element: HTMLFormElement) => {
    const current = form.get('current')
    if (hasPassword && !current) return setProblem({ field: 'current', text: errors('wrong_password') })
    const checked = passwordInput.safeParse({ ...(hasPassword ? { current } : {}), password: form.get('password') })
    if (!checked.success) return setProblem({ field: 'password', text: t('short') })
    const changed = await run(async () => void (await sendJson('POST', '/api/settings/password', z.unknown(), checked.data)))
    if (!changed) return
    element.reset()
    toast.success(t('done'))
    await Promise.all([mutate('/api/settings/security'), mutate('/api/settings/sessions')])
  }
  const known = problem?.field === 'current' || problem?.field === 'password'
  return (
    <FormCard
      title={t(hasPassword ? 'title' : 'first')}
      text={hasPassword ? undefined : t('firstText')}
      error={known ? undefined : problem?.text}
      action={t(hasPassword ? 'change' : 'set')}
      disabled={busy}
      onSubmit={(form, element) => void change(form, element)}
    >
      <TwoColumns>
        {hasPassword && <CurrentPasswordField label={t('current')} name="current" error={errorOf('current')} />}
        <NewPasswordField label={t('next')} hint={t('hint')} error={errorOf('password')} />
      </TwoColumns>
    </FormCard>
  )
}
