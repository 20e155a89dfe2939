'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Provider } from '#lib/contracts/sign-in'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { CodeForm } from './code-form.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { safeNext } from './safe-next.ts'
import { type Credentials, type SignInResult, signInWithCredentials } from './sign-in.ts'
import { useHashToken } from './use-hash-token.ts'

const refusals = ['unverified', 'not_joined', 'closed', 'limited'] as const

interface SignInFormProps {
  /** The requested page. */
  next: string | null
  /** Why a sign-in with a provider led back here, from the address. */
  refusal: string | null
  /** A message to show: after a sign-up with an address that may be taken, or after closing the account. */
  notice: 'checkMail' | 'accountClosed' | null
  providers: readonly Provider[]
}

async function trySignIn(credentials: Credentials, next: string | null): Promise<SignInResult> {
  const result = await signInWithCredentials(credentials).catch(() => 'failed' as const)
  // A full page load, because nothing that the browser remembers of the previous user may survive.
  if (result === 'in') window.location.assign(safeNext(next))
  return result
}

/** Explains why the reader is on this page unexpectedly. */
function SignInNotice({ refusal, notice }: Pick<SignInFormProps, 'refusal' | 'notice'>) {
  const t = useTranslations('signIn')
  if (refusal === null && notice === null) return null
  const known = refusals.find((name) => name === refusal)
  return (
    <p
      role="alert"
      className={refusal === null ? 'mb-4 rounded-md bg-hover px-3 py-2' : 'mb-4 rounded-md bg-bad-tint px-3 py-2 text-bad'}
    >
      {refusal === null && notice !== null ? t(notice) : t(`errors.${known ?? 'provider'}`)}
    </p>
  )
}

/** The first step. If the email and password are wrong, the message does not say which of the two. */
function PasswordForm({
  next,
  onPair: onCodeRequired,
}: Pick<SignInFormProps, 'next'> & { onPair: (pair: EmailPassword) => void }) {
  const t = useTranslations('auth')
  const signIn = useTranslations('signIn')
  const [state, setState] = useState<'idle' | 'busy' | 'wrong' | 'limited' | 'failed'>('idle')
  const password = useRef<HTMLInputElement>(null)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const pair = { email: String(form.get('email')), password: String(form.get('password')) }
    setState('busy')
    const result = await trySignIn(pair, next)
    if (result === 'in') return
    if (result === 'code' || result === 'wrongCode') return onCodeRequired(pair)
    setState(result)
    password.current?.focus()
    password.current?.select()
  }
  return (
    <form method="post" data-early onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <Field label={t('email')}>
        {(control) => <Input {...control} name="email" type="email" autoComplete="username" required autoFocus />}
      </Field>
      <Field
        label={t('password')}
        error={state === 'idle' || state === 'busy' ? undefined : t(state)}
        aside={
          <Link href="/forgot" className="text-second text-sm underline decoration-third underline-offset-4 hover:text-ink">
            {signIn('forgot')}
          </Link>
        }
      >
        {(control) => (
          <Input {...control} ref={password} name="password" type="password" autoComplete="current-password" required />
        )}
      </Field>
      <Button type="submit" tone="primary" disabled={state === 'busy'} className="mt-1 h-9">
        {state === 'busy' ? t('signingIn') : t('signIn')}
      </Button>
    </form>
  )
}

type EmailPassword = { email: string; password: string }

/** Signs in with email and password or a provider, then with a code if the account requires one. */
export function SignInForm({ next, refusal, notice, providers }: SignInFormProps) {
  const t = useTranslations('auth')
  const [firstFactor, setFirst] = useState<EmailPassword | { token: string } | null>(null)
  const token = useHashToken('second-step')
  useEffect(() => {
    if (token) setFirst({ token })
  }, [token])
  if (firstFactor !== null)
    return <CodeForm onCode={(code) => trySignIn({ ...firstFactor, code }, next)} onBack={() => setFirst(null)} />
  return (
    <>
      <h1 className="mb-5 font-semibold text-3xl tracking-tight">{t('signIn')}</h1>
      <SignInNotice refusal={refusal} notice={notice} />
      <Card>
        <PasswordForm next={next} onPair={setFirst} />
        <ProviderButtons providers={providers} next={next} />
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
