'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { DialogFoot } from './dialog.tsx'

interface FormEndProps {
  /** What sends the form. */
  label: string
  busy?: boolean
  onCancel: () => void
}

interface FormFootProps extends FormEndProps {
  tone?: 'primary' | 'danger'
  /** True while an answer is awaited that is told once: leaving would lose it. */
  held?: boolean
  /** What sends it where no form is around it. */
  onSend?: () => void
  /** Other ways out of it. */
  children?: ReactNode
}

/** The end of a dialog that asks for something: leaves it without a change, or sends it. */
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

/** The end of a form that was opened in its page: there it begins at the left, as its fields do, with what sends it. */
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
