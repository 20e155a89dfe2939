'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { z } from 'zod'
import { verifyResult } from '#lib/contracts/sign-in'
import { sendJson } from '../fetch-json.ts'
import { Button } from '../ui/button.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useSubmit } from '../use-submit.ts'
import { AuthLink } from './auth-link.tsx'
import { useHashToken } from './use-hash-token.ts'

/**
 * Confirms the address of a new user, or the new address of a user who changes it (`isChange`), with the link that was emailed to it.
 * This takes a button click, because programs that scan email open links too, and a person who received the link unasked must be
 * able to ignore it.
 */
export function VerifyForm({ isChange }: { isChange: boolean }) {
  const t = useTranslations('signIn')
  const token = useHashToken('token')
  const { busy, problem, run } = useSubmit()
  const [done, setDone] = useState<z.infer<typeof verifyResult> | null>(null)
  const confirm = () => run(async () => setDone(await sendJson('POST', '/api/verify', verifyResult, { token })))
  const lead = () => {
    if (done !== null) return t(done.changed ? 'changed' : 'verified', { email: done.email })
    return t(token === null ? 'noToken' : isChange ? 'changeLead' : 'verifyLead')
  }
  return (
    <>
      <h1 className="mb-1 font-semibold text-3xl tracking-tight">{t('verifyTitle')}</h1>
      <p role="status" className="mb-5 text-second">
        {lead()}
      </p>
      <FormError className="mb-4">{problem?.text}</FormError>
      {token === undefined && <Skeleton className="h-9 w-full" />}
      {token && done === null && (
        <Button tone="primary" size="large" disabled={busy} onClick={() => void confirm()} className="w-full">
          {busy ? t('confirming') : t('confirm')}
        </Button>
      )}
      <AuthLink href="/overview">{t('toConsole')}</AuthLink>
    </>
  )
}
