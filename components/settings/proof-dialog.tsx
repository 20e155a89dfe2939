'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { z } from 'zod'
import { recoveryCodes } from '#lib/contracts/sign-in'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { CodeField } from '../ui/code-field.tsx'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { FormFooter } from '../ui/form-footer.tsx'
import { type Submit, useSubmit } from '../use-submit.ts'
import { CurrentPasswordField } from './current-password-field.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

interface ProofDialogProps {
  /** Turn off the second step, or make new recovery codes. */
  what: 'disable' | 'codes'
  hasPassword: boolean
  onClose: () => void
}

interface ProofFieldProps {
  hasPassword: boolean
  problem: Submit['problem']
  /** Called when another kind of proof is asked for. */
  onSwitch: () => void
}

/** The field for a code, or for the password of somebody who has one. */
function ProofField({ hasPassword, problem, onSwitch }: ProofFieldProps) {
  const t = useTranslations('security.second')
  const [kind, setKind] = useState<'code' | 'password'>('code')
  const area = useRef<HTMLDivElement>(null)
  const switchKind = () => {
    // Only the field of one kind is there at a time. Rendered now, so that the new one can take the focus.
    flushSync(() => setKind(kind === 'code' ? 'password' : 'code'))
    area.current?.querySelector('input')?.focus()
    onSwitch()
  }
  return (
    <div ref={area} className="flex flex-col gap-2">
      {kind === 'code' ? (
        <CodeField label={t('proof')} error={problem?.text} />
      ) : (
        <CurrentPasswordField label={t('password')} name="password" error={problem?.text} />
      )}
      {hasPassword && (
        <button
          type="button"
          onClick={switchKind}
          className="min-h-6 self-start font-medium text-accent underline underline-offset-4"
        >
          {t(kind === 'code' ? 'usePassword' : 'useCode')}
        </button>
      )}
    </div>
  )
}

/** Asks for a code or the password before an action that weakens the second step. */
export function ProofDialog({ what, hasPassword, onClose }: ProofDialogProps) {
  const t = useTranslations('security.second')
  const { busy, problem, setProblem, run } = useSubmit()
  const [codes, setCodes] = useState<string[] | null>(null)
  const send = (form: FormData) =>
    run(async () => {
      // The one field that is shown.
      const input = Object.fromEntries(form)
      if (what === 'codes')
        return setCodes((await sendJson('POST', '/api/settings/second-step/codes', recoveryCodes, input)).codes)
      await sendJson('POST', '/api/settings/second-step/disable', z.unknown(), input)
      toast.success(t('turnedOff'))
      onClose()
    })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    void send(new FormData(event.currentTarget))
  }
  const off = what === 'disable'
  return (
    <Dialog
      sticky
      once={codes !== null}
      held={busy}
      open
      onOpenChange={onClose}
      title={t(codes !== null ? 'codesTitle' : off ? 'offTitle' : 'newTitle')}
    >
      {codes !== null ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : (
        <form noValidate method="post" onSubmit={submit} className="flex min-h-0 flex-col">
          <DialogBody>
            <p>{t(off ? 'offLead' : 'newLead')}</p>
            <ProofField hasPassword={hasPassword} problem={problem} onSwitch={() => setProblem(null)} />
          </DialogBody>
          <FormFooter
            label={t(off ? 'turnOff' : 'make')}
            tone={off ? 'danger' : 'primary'}
            busy={busy}
            held={busy}
            onCancel={onClose}
          />
        </form>
      )}
    </Dialog>
  )
}
