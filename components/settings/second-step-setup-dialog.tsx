'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { z } from 'zod'
import { recoveryCodes, secondStepSetup } from '#lib/contracts/sign-in'
import { sendJson } from '../fetch-json.ts'
import { CodeField } from '../ui/code-field.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { FormError } from '../ui/form-error.tsx'
import { FormFooter } from '../ui/form-footer.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { type Submit, useSubmit } from '../use-submit.ts'
import { CurrentPasswordField } from './current-password-field.tsx'
import { QrCode } from './qr-code.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

type Started = z.infer<typeof secondStepSetup>

interface StepProps {
  submit: Submit
  action: string
  onSubmit: (form: FormData) => Promise<unknown>
  onCancel: () => void
  children: ReactNode
}

/** One step with its button. Its field gets the focus. */
function Step({ submit, action, onSubmit, onCancel, children }: StepProps) {
  const t = useTranslations('security.second')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  const general = submit.problem?.field === null ? submit.problem.text : null
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    void onSubmit(new FormData(event.currentTarget))
  }
  return (
    <form ref={form} noValidate method="post" onSubmit={send} className="flex min-h-0 flex-col">
      <DialogBody>
        {children}
        <FormError>{general}</FormError>
      </DialogBody>
      <FormFooter label={submit.busy ? t('busy') : action} busy={submit.busy} held={submit.busy} onCancel={onCancel} />
    </form>
  )
}

/** Formats the key for typing, in groups of four. */
const groupByFour = (secret: string): string => secret.match(/.{1,4}/g)?.join(' ') ?? secret

interface ScanStepProps {
  started: Started
  submit: Submit
  onDone: (codes: string[]) => void
  onCancel: () => void
}

function ScanStep({ started, submit, onDone, onCancel }: ScanStepProps) {
  const t = useTranslations('security.second')
  const confirm = (form: FormData) =>
    submit.run(async () => {
      const input = { code: String(form.get('code')) }
      onDone((await sendJson('POST', '/api/settings/second-step/confirm', recoveryCodes, input)).codes)
    })
  return (
    <Step submit={submit} action={t('confirm')} onSubmit={confirm} onCancel={onCancel}>
      <p>{t('scan')}</p>
      <div className="flex flex-wrap items-center gap-5">
        <QrCode text={started.uri} label={t('qr')} />
        <div className="flex min-w-0 flex-1 basis-48 flex-col items-start gap-2">
          <span className="font-medium">{t('key')}</span>
          <code data-testid="totp-secret" className="select-all break-words font-mono">
            {groupByFour(started.secret)}
          </code>
          <CopyButton text={started.secret} label={t('copyKey')} tone="plain">
            {t('copy')}
          </CopyButton>
        </div>
      </div>
      <CodeField label={t('code')} error={submit.errorOf('code')} />
    </Step>
  )
}

/** Sets up the second step: adds the secret to an authenticator app, and has the recovery codes stored. */
export function SecondStepSetupDialog({ hasPassword, onClose }: { hasPassword: boolean; onClose: () => void }) {
  const t = useTranslations('security.second')
  const submit = useSubmit()
  const confirming = useSubmit()
  const [started, setStarted] = useState<Started | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const start = (form: FormData) =>
    submit.run(async () => {
      const password = form.get('password')
      const input = password === null ? {} : { password: String(password) }
      setStarted(await sendJson('POST', '/api/settings/second-step', secondStepSetup, input))
    })
  const hasStarted = useRef(false)
  // A user without a password is not asked for one.
  useEffect(() => {
    if (hasPassword || hasStarted.current) return
    hasStarted.current = true
    void start(new FormData())
  })
  return (
    <Dialog
      sticky
      once={codes !== null}
      held={confirming.busy}
      open
      onOpenChange={onClose}
      title={codes === null ? t('setUp') : t('codesTitle')}
    >
      {codes !== null ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : started !== null ? (
        <ScanStep started={started} submit={confirming} onDone={setCodes} onCancel={onClose} />
      ) : hasPassword || submit.problem !== null ? (
        <Step submit={submit} action={t('continue')} onSubmit={start} onCancel={onClose}>
          {hasPassword && (
            <>
              <p>{t('passwordLead')}</p>
              <CurrentPasswordField label={t('password')} name="password" error={submit.errorOf('password')} />
            </>
          )}
        </Step>
      ) : (
        <DialogBody>
          <Skeleton className="h-56 w-full" />
        </DialogBody>
      )}
    </Dialog>
  )
}
