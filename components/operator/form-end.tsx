'use client'
import { useTranslations } from 'next-intl'
import { Button } from '../ui/button.tsx'

interface FormEndProps {
  /** What sends the form. */
  label: string
  busy: boolean
  onCancel: () => void
}

/** The end of a form that was opened in its page: sends it, or leaves it without a change. */
export function FormEnd({ label, busy, onCancel }: FormEndProps) {
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
