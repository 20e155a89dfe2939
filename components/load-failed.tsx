'use client'
import { CloudOff } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { ApiError } from './fetch-json.ts'
import { Button } from './ui/button.tsx'
import { EmptyState } from './ui/empty-state.tsx'
import { useErrorText } from './use-error-text.ts'

/** Stands in place of what could not be read, with the reason and a way to try again. */
export function LoadFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = useTranslations('common')
  const errorText = useErrorText()
  // What is not there will not be there the next time either.
  const gone = error instanceof ApiError && error.status === 404
  return (
    <EmptyState icon={<CloudOff />} title={t('loadFailed')} text={errorText(error)}>
      {gone ? undefined : <Button onClick={onRetry}>{t('retry')}</Button>}
    </EmptyState>
  )
}
