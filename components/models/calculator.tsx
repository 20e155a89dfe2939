'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { ModelRow } from '#lib/contracts/catalog'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import { type EstimateInput, quantitiesOf } from './estimate.ts'
import { useModelLabels } from './use-model-labels.ts'

const COUNT_PATTERN = /^\d{1,9}$/
/** The default usage of one request. */
const DEFAULT_COUNTS: Record<string, string> = {
  input: '1000',
  output: '500',
  image: '1',
  audio_second: '60',
  video_second: '5',
  character: '1000',
}

export interface Calculator {
  ask: EstimateInput
  fields: { unit: string; text: string; wrong: boolean; write: (text: string) => void }[]
  requests: { text: string; wrong: boolean; write: (text: string) => void }
  variants: { all: string[]; chosen: string; choose: (variant: string) => void }
}

const toCount = (text: string): bigint => (COUNT_PATTERN.test(text) ? BigInt(text) : 0n)

/** The state of the calculator, for these models together. */
export function useCalculator(models: readonly ModelRow[]): Calculator {
  const [texts, setTexts] = useState<Record<string, string>>(DEFAULT_COUNTS)
  const [requestsText, setRequests] = useState('1000')
  const [variant, setVariant] = useState('')
  const { units, variants } = quantitiesOf(models)
  const chosen = variants.includes(variant) ? variant : (variants[0] ?? 'image')
  const textOf = (unit: string) => texts[unit] ?? '0'
  const isInvalid = (text: string) => text !== '' && !COUNT_PATTERN.test(text)
  return {
    ask: {
      counts: Object.fromEntries(units.map((unit) => [unit, toCount(textOf(unit))])),
      variant: chosen,
      requests: toCount(requestsText),
    },
    fields: units.map((unit) => ({
      unit,
      text: textOf(unit),
      wrong: isInvalid(textOf(unit)),
      write: (text) => setTexts((before) => ({ ...before, [unit]: text.trim() })),
    })),
    requests: { text: requestsText, wrong: isInvalid(requestsText), write: (text) => setRequests(text.trim()) },
    variants: { all: variants, chosen, choose: setVariant },
  }
}

/** The fields for the usage of one request and the number of requests. */
export function CalculatorFields({ calculator }: { calculator: Calculator }) {
  const t = useTranslations('models')
  const labels = useModelLabels()
  const { fields, requests, variants } = calculator
  const all = [
    ...fields.map(({ unit, ...field }) => ({ ...field, unit, label: labels.unit(unit) })),
    { ...requests, unit: 'requests', label: t('requests') },
  ]
  return (
    <fieldset>
      <legend className="text-second">{t('calculatorLead')}</legend>
      <div className="mt-3 grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-4">
        {all.map(({ unit, label, text, wrong, write }) => (
          <Field key={unit} label={label} error={wrong ? t('wholeNumber') : undefined}>
            {(control) => (
              <Input
                {...control}
                inputMode="numeric"
                value={text}
                onChange={(event) => write(event.target.value)}
                className="figures text-right"
              />
            )}
          </Field>
        ))}
        {variants.all.length > 1 && (
          <div className="col-span-2 flex items-end">
            <NativeSelect
              label={t('imageKind')}
              value={variants.chosen}
              onChange={variants.choose}
              options={variants.all.map((value) => ({ value, label: labels.unit(value) }))}
            />
          </div>
        )}
      </div>
    </fieldset>
  )
}
