'use client'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Confirm } from '../ui/confirm.tsx'
import { setRetryOffer } from './leave-page.ts'

/** Says that a page cannot be opened now because the gateway does not respond, and tries again if the reader wants to. */
export function UnreachableDialog() {
  const t = useTranslations('shell')
  const common = useTranslations('common')
  const [retry, setRetry] = useState<(() => void) | null>(null)
  useEffect(() => {
    setRetryOffer((next) => setRetry(() => next))
    return () => setRetryOffer(null)
  }, [])
  return (
    <Confirm
      open={retry !== null}
      onOpenChange={(open) => !open && setRetry(null)}
      title={t('cannotOpen')}
      description={t('cannotOpenText')}
      action={common('retry')}
      actionTone="primary"
      cancelLabel={t('stayHere')}
      onConfirm={() => retry?.()}
    />
  )
}
