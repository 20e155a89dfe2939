'use client'
import { RotateCw } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { Button } from './ui/button.tsx'

function NotLoaded() {
  const t = useTranslations('common')
  return (
    <div
      role="alert"
      className="fixed inset-x-4 bottom-4 z-50 mx-auto flex w-fit max-w-full flex-wrap items-center gap-3 rounded-lg border bg-panel px-4 py-3 shadow-float"
    >
      {t('notLoaded')}
      <Button size="small" onClick={() => window.location.reload()}>
        <RotateCw aria-hidden className="size-3.5" />
        {t('reload')}
      </Button>
    </div>
  )
}

/**
 * The last step of a lazy import: `import(...).then(...).catch(notLoaded)`. If the part cannot be loaded, because the network
 * is down or another build was deployed, a message takes its place, and the page and everything typed on it stay.
 */
export const notLoaded = (): never => NotLoaded as never
