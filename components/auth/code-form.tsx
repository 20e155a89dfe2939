'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { CodeField } from '../ui/code-field.tsx'
import type { SignInResult } from './sign-in.ts'

interface CodeFormProps {
  /** Submits a code. */
  onCode: (code: string) => Promise<SignInResult>
  onBack: () => void
}

/** The second step of signing in. */
export function CodeForm({ onCode, onBack }: CodeFormProps) {
  const t = useTranslations('signIn')
  const auth = useTranslations('auth')
  const errors = useTranslations('errors')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | undefined>(undefined)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code')).trim()
    if (code === '') return input.current?.focus()
    setBusy(true)
    setError(undefined)
    const result = await onCode(code)
    if (result === 'in') return
    const texts = { wrongCode: errors('wrong_code'), wrong: t('tooLate'), limited: auth('limited') }
    setError(result in texts ? texts[result as keyof typeof texts] : auth('failed'))
    setBusy(false)
    input.current?.focus()
    input.current?.select()
  }
  return (
    <>
      <h1 className="mb-1 font-semibold text-3xl tracking-tight">{t('codeTitle')}</h1>
      <p className="mb-5 text-second">{t('codeLead')}</p>
      <Card>
        <form method="post" onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
          <CodeField label={t('code')} error={error} ref={input} />
          <Button type="submit" tone="primary" disabled={busy} className="mt-1 h-9">
            {busy ? t('checking') : t('continue')}
          </Button>
        </form>
      </Card>
      <p className="mt-4 text-second">{t('lostDevice')}</p>
      <p className="mt-4 text-center">
        <button type="button" onClick={onBack} className="min-h-6 font-medium text-accent underline underline-offset-4">
          {t('back')}
        </button>
      </p>
    </>
  )
}
