'use client'
import { ExternalLink } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { scrollNoteIntoView } from '../ui/form-error.tsx'
import type { GeneralError } from './use-operator-submit.ts'

const isGeneralError = (fault: GeneralError | ReactNode): fault is GeneralError =>
  typeof fault === 'object' && fault !== null && 'stale' in fault

/** An error of a whole form. If somebody else has changed the record, it includes a link to the current state. */
export function OperatorFormError({ fault }: { fault: GeneralError | ReactNode }) {
  const t = useTranslations('operator')
  if (fault == null) return null
  const { text, stale } = isGeneralError(fault) ? fault : { text: fault, stale: false }
  return (
    <div
      ref={scrollNoteIntoView}
      role="alert"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-bad-tint px-3 py-2 text-bad"
    >
      <p>{text}</p>
      {stale && (
        <Button size="small" asChild>
          {/* A new tab, so that what was typed stays here and can be copied. */}
          <a href={window.location.pathname + window.location.search} target="_blank" rel="noopener">
            {t('seeNow')}
            <ExternalLink aria-hidden className="size-3.5" />
          </a>
        </Button>
      )}
    </div>
  )
}
