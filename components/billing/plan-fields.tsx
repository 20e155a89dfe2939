'use client'
import { useTranslations } from 'next-intl'
import type { Billing } from '#lib/contracts/billing'
import { formatMoney } from '#lib/domain/format-money'
import { NumberField } from '../ui/number-field.tsx'
import type { PlanFault, PlanField, PlanTexts } from './plan-form.ts'

const FIELDS: PlanField[] = ['threshold', 'amount', 'ceiling']

interface PlanFieldsProps {
  texts: PlanTexts
  faults: Partial<Record<PlanField, PlanFault>>
  billing: Billing
  onChange: (changes: Partial<PlanTexts>) => void
}

/** The three amounts of automatic top-up. */
export function PlanFields({ texts, faults, billing, onChange }: PlanFieldsProps) {
  const t = useTranslations('autoTopUp')
  const range = { least: formatMoney(billing.minNano).text, most: formatMoney(billing.maxNano).text }
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      {FIELDS.map((field) => {
        const fault = faults[field]
        return (
          <NumberField
            key={field}
            label={t(`fields.${field}`)}
            hint={t(`hints.${field}`)}
            error={fault && t(`faults.${fault}`, range)}
            name={field}
            value={texts[field]}
            onChange={(text) => onChange({ [field]: text })}
          />
        )
      })}
    </div>
  )
}
