'use client'
import { useTranslations } from 'next-intl'
import { Button } from '../ui/button.tsx'
import type { General } from './use-submit.ts'

/** What is wrong with the whole of a form, and, where somebody else has changed what it shows, the way to see that. */
export function Fault({ fault }: { fault: General | string | null | undefined }) {
  const t = useTranslations('operator')
  if (fault == null) return null
  const { text, stale } = typeof fault === 'string' ? { text: fault, stale: false } : fault
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-bad-tint px-3 py-2 text-bad">
      <p>{text}</p>
      {stale && (
        <Button size="small" onClick={() => window.location.reload()}>
          {t('loadAgain')}
        </Button>
      )}
    </div>
  )
}
