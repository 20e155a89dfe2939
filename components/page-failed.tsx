'use client'
import { OctagonAlert } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { Button } from './ui/button.tsx'
import { EmptyState } from './ui/empty-state.tsx'

/** The page broke while it was drawn. */
export function PageFailed({ reset }: { reset: () => void }) {
  const t = useTranslations('errors')
  const common = useTranslations('common')
  return (
    <main className="grid min-h-dvh place-items-center">
      <EmptyState icon={<OctagonAlert />} title={common('loadFailed')} text={t('broken')}>
        <Button onClick={reset}>{common('retry')}</Button>
      </EmptyState>
    </main>
  )
}
