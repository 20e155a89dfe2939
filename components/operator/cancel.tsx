'use client'
import { useTranslations } from 'next-intl'
import { Button } from '../ui/button.tsx'

/** Leaves a form that was opened in its page, without a change. */
export function Cancel({ onCancel }: { onCancel: () => void }) {
  const t = useTranslations('common')
  return <Button onClick={onCancel}>{t('cancel')}</Button>
}
