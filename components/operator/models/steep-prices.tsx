'use client'
import { useTranslations } from 'next-intl'
import { formatPrice } from '#lib/domain/format-money'
import { perOf } from '../../models/rates.ts'
import { useWords } from '../../models/use-words.ts'
import { Confirm } from '../../ui/confirm.tsx'
import type { SteepRate } from './steep.ts'

interface SteepPricesProps {
  /** The changes to confirm. The dialog is closed if there are none. */
  rates: readonly SteepRate[]
  onClose: () => void
  onConfirm: () => void
}

/** Asks whether steep price changes are intended, with the old and new prices. */
export function SteepPrices({ rates, onClose, onConfirm }: SteepPricesProps) {
  const t = useTranslations('operator')
  const words = useWords()
  const told = (unit: string, rate: string | null) =>
    rate === null ? t('notSold') : `${formatPrice(rate, perOf(unit))} ${words.per(unit)}`
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
              {t('steepLine', { unit: words.unit(unit), before: told(unit, before), after: told(unit, after) })}
            </span>
          ))}
        </>
      }
      action={t('setPrice')}
      onConfirm={onConfirm}
    />
  )
}
