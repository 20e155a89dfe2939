'use client'
import { CloudOff } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { ApiError } from './fetch-json.ts'
import { Button } from './ui/button.tsx'
import { EmptyState } from './ui/empty-state.tsx'
import { useErrorText } from './use-error-text.ts'

/** Replaces content that could not be loaded, with the reason and a way to retry. */
export function LoadFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = useTranslations('common')
  const errorText = useErrorText()
  // A retry cannot find what does not exist.
  const isNotFound = error instanceof ApiError && error.status === 404
  return (
    <EmptyState icon={<CloudOff />} title={t('loadFailed')} text={errorText(error)}>
      {isNotFound ? undefined : <Button onClick={onRetry}>{t('retry')}</Button>}
    </EmptyState>
  )
}
