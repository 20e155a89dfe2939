import { Signpost } from 'lucide-react'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { buttonStyles } from './ui/button-styles.ts'
import { EmptyState } from './ui/empty-state.tsx'

/** Shown when no page exists at this address. */
export function NotFound() {
  const t = useTranslations('notFound')
  return (
    <main className="grid min-h-dvh place-items-center">
      <EmptyState heading="h1" icon={<Signpost />} title={t('title')} text={t('text')}>
        <Link href="/" className={buttonStyles()}>
          {t('home')}
        </Link>
      </EmptyState>
    </main>
  )
}
