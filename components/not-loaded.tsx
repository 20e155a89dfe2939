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
 * For the end of a part that is loaded late: `import(...).then(...).catch(notLoaded)`. Where it does not come, because the
 * network is gone or another build was deployed, this says so in its place, and the page with what is written on it stays.
 */
export const notLoaded = (): never => NotLoaded as never
