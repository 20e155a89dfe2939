'use client'
import { useTranslations } from 'next-intl'
import { autoTopUp } from '#lib/contracts/auto-top-up'
import { updateSearchParams } from '../update-search-params.ts'
import { useApi } from '../use-api.ts'
import { ReturnBanner } from './return-banner.tsx'
import { useLate } from './use-late.ts'

/** Tells the reader who returns from saving a card whether it is saved. The card further down polls for it. */
export function CardWatch() {
  const t = useTranslations('billing.watch')
  const { data } = useApi('/api/billing/auto-top-up', autoTopUp)
  const isSaved = data !== undefined && data.card !== null
  const late = useLate(!isSaved)
  const text = isSaved ? (data.enabled ? 'cardSavedOn' : 'cardSaved') : late ? 'cardLate' : 'cardWaiting'
  return (
    <ReturnBanner variant={isSaved ? 'good' : 'wait'} onDismiss={() => updateSearchParams({ card: null })}>
      {t(text)}
    </ReturnBanner>
  )
}
