'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { OperatorFormError } from '../operator/operator-form-error.tsx'
import { useOperatorSubmit } from '../operator/use-operator-submit.ts'
import { readAmount } from '../read-amount.ts'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { FormFooter } from '../ui/form-footer.tsx'
import { Input } from '../ui/input.tsx'
import { NumberField } from '../ui/number-field.tsx'

interface ReasonDialogProps {
  title: string
  text: string
  /** The label of the button. */
  action: string
  danger?: boolean
  /** Whether to ask for an amount. */
  withAmount: boolean
  reasonHint: string
  /** `amountNano` is empty if no amount is asked for. */
  onSubmit: (values: { amountNano: string; reason: string }) => Promise<void>
  onClose: () => void
}

/** Asks for the reason of an action that concerns money or a suspension, and for an amount if there is one. */
export function ReasonDialog({
  title,
  text,
  action,
  danger = false,
  withAmount,
  reasonHint,
  onSubmit,
  onClose,
}: ReasonDialogProps) {
  const t = useTranslations('operatorAccounts')
  const [amount, setAmount] = useState('')
  const [reason, setReason] = useState('')
  const { busy, errors, general, send, refuse } = useOperatorSubmit()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const read = withAmount ? readAmount(amount) : { value: '' }
    if ('fault' in read || read.value === null) return refuse({ amountNano: t('amountFault') })
    if (reason.trim().length < 3) return refuse({ reason: t('reasonFault') })
    const values = { amountNano: read.value, reason: reason.trim() }
    return send(() => onSubmit(values))
  }
  return (
    <Dialog open sticky onOpenChange={onClose} title={title} description={text}>
      <form noValidate method="post" onSubmit={(event) => void submit(event)} className="flex min-h-0 flex-col">
        <DialogBody>
          {withAmount && (
            <NumberField
              label={t('amount')}
              hint={t('amountHint')}
              error={errors.amountNano}
              value={amount}
              onChange={setAmount}
            />
          )}
          <Field label={t('reason')} hint={reasonHint} error={errors.reason}>
            {(control) => (
              <Input
                {...control}
                autoComplete="off"
                maxLength={300}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            )}
          </Field>
          <OperatorFormError fault={general} />
        </DialogBody>
        <FormFooter label={action} tone={danger ? 'danger' : 'primary'} busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
