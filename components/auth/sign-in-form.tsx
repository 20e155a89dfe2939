'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { type Entered, enter } from './enter.ts'
import { safeNext } from './safe-next.ts'

/** Email and password. A wrong pair is told without saying which of the two is wrong. */
export function SignInForm({ next }: { next: string | null }) {
  const t = useTranslations('auth')
  const [state, setState] = useState<'idle' | 'busy' | Exclude<Entered, 'in'>>('idle')
  const password = useRef<HTMLInputElement>(null)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setState('busy')
    const entered = await enter(String(form.get('email')), String(form.get('password'))).catch(() => 'failed' as const)
    // A whole load, not a soft one: what the browser remembers of the last person must not survive.
    if (entered === 'in') return window.location.assign(safeNext(next))
    setState(entered)
    password.current?.focus()
    password.current?.select()
  }
  const error = state === 'idle' || state === 'busy' ? undefined : t(state)
  return (
    <>
      <h1 className="mb-5 font-semibold text-3xl tracking-tight">{t('signIn')}</h1>
      <Card>
        <form method="post" onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
          <Field label={t('email')}>
            {(control) => <Input {...control} name="email" type="email" autoComplete="username" required autoFocus />}
          </Field>
          <Field label={t('password')} error={error}>
            {(control) => (
              <Input {...control} ref={password} name="password" type="password" autoComplete="current-password" required />
            )}
          </Field>
          <Button type="submit" tone="primary" disabled={state === 'busy'} className="mt-1 h-9">
            {state === 'busy' ? t('signingIn') : t('signIn')}
          </Button>
        </form>
      </Card>
      <p className="mt-4 text-center text-second">
        {t('noAccount')}{' '}
        <Link
          href={next === null ? '/sign-up' : `/sign-up?next=${encodeURIComponent(next)}`}
          className="font-medium text-accent underline underline-offset-4"
        >
          {t('signUp')}
        </Link>
      </p>
    </>
  )
}
