'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { DialogFooter } from './dialog.tsx'

interface InlineFormFooterProps {
  /** The label of the submit button. */
  label: string
  busy?: boolean
  onCancel: () => void
}

interface FormFooterProps extends InlineFormFooterProps {
  tone?: 'primary' | 'danger'
  /** True while waiting for a response that is shown only once: leaving would lose it. */
  held?: boolean
  /** Submits if there is no form around it. */
  onSend?: () => void
  /** Additional buttons. */
  children?: ReactNode
}

/** The footer of a dialog with a form: cancels without a change, or submits. */
export function FormFooter({ label, busy = false, onCancel, tone = 'primary', held = false, onSend, children }: FormFooterProps) {
  const t = useTranslations('common')
  return (
    <DialogFooter>
      <Button disabled={held} onClick={onCancel}>
        {t('cancel')}
      </Button>
      {children}
      <Button type={onSend ? 'button' : 'submit'} tone={tone} disabled={busy} onClick={onSend}>
        {label}
      </Button>
    </DialogFooter>
  )
}

/** The footer of a form that was opened within a page. It is aligned left like the fields, with the submit button first. */
export function InlineFormFooter({ label, busy = false, onCancel }: InlineFormFooterProps) {
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
