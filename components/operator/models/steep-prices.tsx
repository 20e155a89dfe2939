'use client'
import { useTranslations } from 'next-intl'
import { formatPrice } from '#lib/domain/format-money'
import { pricedPer } from '../../models/rates.ts'
import { useModelLabels } from '../../models/use-model-labels.ts'
import { Confirm } from '../../ui/confirm.tsx'
import type { SteepRate } from './steep-change.ts'

interface SteepPricesProps {
  /** The changes to confirm. The dialog is closed if there are none. */
  rates: readonly SteepRate[]
  onClose: () => void
  onConfirm: () => void
}

/** Asks whether steep price changes are intended, with the old and new prices. */
export function SteepPrices({ rates, onClose, onConfirm }: SteepPricesProps) {
  const t = useTranslations('operator')
  const labels = useModelLabels()
  const priceText = (unit: string, rate: string | null) =>
    rate === null ? t('notSold') : `${formatPrice(rate, pricedPer(unit))} ${labels.per(unit)}`
  return (
    <Confirm
      open={rates.length > 0}
      onOpenChange={(open) => !open && onClose()}
      title={t('steepTitle')}
      description={
        <>
          {t('steepText')}
          {rates.map(({ unit, before, after }) => (
            <span key={unit} className="figures mt-2 block text-ink">
              {t('steepLine', { unit: labels.unit(unit), before: priceText(unit, before), after: priceText(unit, after) })}
            </span>
          ))}
        </>
      }
      action={t('setPrice')}
      onConfirm={onConfirm}
    />
  )
}
