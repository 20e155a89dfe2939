'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { DialogFoot } from './dialog.tsx'

interface FormEndProps {
  /** The label of the submit button. */
  label: string
  busy?: boolean
  onCancel: () => void
}

interface FormFootProps extends FormEndProps {
  tone?: 'primary' | 'danger'
  /** True while waiting for a response that is shown only once: leaving would lose it. */
  held?: boolean
  /** Submits if there is no form around it. */
  onSend?: () => void
  /** Additional buttons. */
  children?: ReactNode
}

/** The footer of a dialog with a form: cancels without a change, or submits. */
export function FormFoot({ label, busy = false, onCancel, tone = 'primary', held = false, onSend, children }: FormFootProps) {
  const t = useTranslations('common')
  return (
    <DialogFoot>
      <Button disabled={held} onClick={onCancel}>
        {t('cancel')}
      </Button>
      {children}
      <Button type={onSend ? 'button' : 'submit'} tone={tone} disabled={busy} onClick={onSend}>
        {label}
      </Button>
    </DialogFoot>
  )
}

/** The footer of a form that was opened within a page. It is aligned left like the fields, with the submit button first. */
export function FormEnd({ label, busy = false, onCancel }: FormEndProps) {
  const t = useTranslations('common')
  return (
    <div className="flex gap-2">
      <Button type="submit" tone="primary" disabled={busy}>
        {label}
      </Button>
      <Button onClick={onCancel}>{t('cancel')}</Button>
    </div>
  )
}
