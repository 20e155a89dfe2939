'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { z } from 'zod'
import { recoveryCodes } from '#lib/contracts/sign-in'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { CodeField } from '../ui/code-field.tsx'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { FormFooter } from '../ui/form-footer.tsx'
import { useSubmit } from '../use-submit.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

interface ProofDialogProps {
  /** Turn off the second step, or make new recovery codes. */
  what: 'disable' | 'codes'
  onClose: () => void
}

/** Asks for a code before an action that weakens the second step. */
export function ProofDialog({ what, onClose }: ProofDialogProps) {
  const t = useTranslations('security.second')
  const { busy, problem, run } = useSubmit()
  const [codes, setCodes] = useState<string[] | null>(null)
  const send = (form: FormData) =>
    run(async () => {
      const input = { code: String(form.get('code')) }
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
            <CodeField label={t('proof')} error={problem?.text} />
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
