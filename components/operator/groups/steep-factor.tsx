'use client'
import { useTranslations } from 'next-intl'
import { formatFactor } from '#lib/domain/format-money'
import { Confirm } from '../../ui/confirm.tsx'

interface SteepFactorProps {
  /** The change to confirm, in basis points. `before` is null for a new group. The dialog is closed if the change is null. */
  change: { before: number | null; after: number } | null
  action: string
  onClose: () => void
  onConfirm: () => void
}

/** Asks whether a factor is intended that changes a group's prices steeply or makes everything free. */
export function SteepFactor({ change, action, onClose, onConfirm }: SteepFactorProps) {
  const t = useTranslations('operator')
  const free = change?.after === 0
  return (
    <Confirm
      open={change !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t(free ? 'freeTitle' : 'steepFactorTitle')}
      description={
        free
          ? t('freeText')
          : t('steepFactorText', { before: formatFactor(change?.before ?? 0), after: formatFactor(change?.after ?? 0) })
      }
      action={action}
      onConfirm={onConfirm}
    />
  )
}
