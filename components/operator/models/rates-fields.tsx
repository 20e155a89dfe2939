'use client'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type ReactNode, useId } from 'react'
import { useModelLabels } from '../../models/use-model-labels.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/input.tsx'
import { NativeSelect } from '../../ui/native-select.tsx'
import type { RateFault, RateLine } from './rates.ts'

/** The errors of the lines of a price, by the names of their fields in the API. */
export function useRateErrors(): (faults: Readonly<Record<string, RateFault>>) => Record<string, string> {
  const t = useTranslations('operator')
  return (faults) => Object.fromEntries(Object.entries(faults).map(([unit, fault]) => [`rates.${unit}`, t(`faults.${fault}`)]))
}

interface RatesFieldsProps {
  lines: RateLine[]
  onChange: (lines: RateLine[]) => void
  /** The other units that can be priced. */
  units: readonly string[]
  /** By field: `rates` for all lines, `rates.input` for one line. */
  errors: Readonly<Record<string, ReactNode>>
}

/** The fields of a price, unit by unit. */
export function RatesFields({ lines, onChange, units, errors }: RatesFieldsProps) {
  const t = useTranslations('operator')
  const labels = useModelLabels()
  const id = useId()
  const remainingUnits = units.filter((unit) => !lines.some((line) => line.unit === unit))
  const faults = lines.map(({ unit }) => errors[`rates.${unit}`])
  // Each text is shown once, however many lines it concerns. One that concerns the whole price marks all of its lines.
  const texts: ReactNode[] = [...new Set([errors.rates, ...faults])].filter((text) => text !== undefined)
  const faultOf = (unit: string) => errors[`rates.${unit}`] ?? errors.rates
  const noteOf = (text: ReactNode) => `${id}-error-${texts.indexOf(text)}`
  const setText = (unit: string, text: string) => onChange(lines.map((line) => (line.unit === unit ? { ...line, text } : line)))
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-2 font-medium">{t('price')}</legend>
      {lines.map(({ unit, text }) => (
        <div key={unit} className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <label htmlFor={`${id}-${unit}`} className="w-full text-second sm:w-36">
            {labels.unit(unit)}
          </label>
          <div className="flex min-w-0 flex-1 items-center gap-2">
            <span aria-hidden className="text-second">
              $
            </span>
            <Input
              id={`${id}-${unit}`}
              inputMode="decimal"
              autoComplete="off"
              value={text}
              onChange={(event) => setText(unit, event.target.value)}
              {...(faultOf(unit) === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': noteOf(faultOf(unit)) })}
              className="figures max-w-40 text-right"
            />
            <span className="min-w-0 flex-1 text-second text-sm">{labels.per(unit)}</span>
            <Button
              tone="ghost"
              size="tiny"
              aria-label={t('removeNamed', { name: labels.unit(unit) })}
              onClick={() => onChange(lines.filter((line) => line.unit !== unit))}
            >
              <X aria-hidden className="size-4" />
            </Button>
          </div>
        </div>
      ))}
      {remainingUnits.length > 0 && (
        <NativeSelect
          label={t('addUnit')}
          value=""
          onChange={(unit) => unit !== '' && onChange([...lines, { unit, text: '', known: null }])}
          options={[{ value: '', label: '–' }, ...remainingUnits.map((unit) => ({ value: unit, label: labels.unit(unit) }))]}
          className="self-start"
        />
      )}
      {texts.map((text) => (
        <p key={noteOf(text)} id={noteOf(text)} role="alert" className="text-bad text-sm">
          {text}
        </p>
      ))}
    </fieldset>
  )
}
