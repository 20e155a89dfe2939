'use client'
import { useTranslations } from 'next-intl'
import { useId, useState } from 'react'
import type { Offer } from '#lib/contracts/operator-import'
import { useModelLabels } from '../../models/use-model-labels.ts'
import { Input } from '../../ui/input.tsx'
import { initialRateLines, type RateFault, readRate } from '../models/rates.ts'

/** Typed prices of models without a known price, in dollars, by model and unit. */
export type TypedPrices = Readonly<Record<string, Readonly<Record<string, string>>>>

interface PriceFieldProps {
  unit: string
  model: string
  text: string
  /** Whether the model is selected, so that its price cannot stay empty. */
  isChosen: boolean
  onType: (text: string) => void
}

/** What is wrong with a typed price. An empty one is wrong only if the model is selected. */
function faultOf(unit: string, text: string, isChosen: boolean): RateFault | 'missing' | null {
  if (text.trim() === '') return isChosen ? 'missing' : null
  const read = readRate(unit, text)
  return 'fault' in read ? read.fault : null
}

/** The price of one unit. It is not called wrong while somebody still types it for the first time. */
function PriceField({ unit, model, text, isChosen, onType }: PriceFieldProps) {
  const t = useTranslations('operator')
  const labels = useModelLabels()
  const id = useId()
  const [wasLeft, setWasLeft] = useState(text !== '')
  const fault = faultOf(unit, text, isChosen)
  const shown = wasLeft || fault === 'missing' ? fault : null
  return (
    <span className="flex flex-col items-end gap-1 py-0.5">
      <span className="flex flex-wrap items-center justify-end gap-x-2 gap-y-1 sm:flex-nowrap">
        <span className="text-second text-sm">{labels.unit(unit)} $</span>
        <Input
          inputMode="decimal"
          autoComplete="off"
          aria-label={t('priceOf', { unit: labels.unit(unit), model })}
          aria-describedby={shown === null ? `${id}-per` : `${id}-per ${id}-fault`}
          {...(shown === null ? {} : { 'aria-invalid': true })}
          value={text}
          onChange={(event) => onType(event.target.value)}
          onBlur={() => setWasLeft(true)}
          className="figures h-7 w-20 px-2 text-right"
        />
        <span id={`${id}-per`} className="text-second text-sm">
          {labels.per(unit)}
        </span>
      </span>
      {shown !== null && (
        <span id={`${id}-fault`} className="max-w-64 whitespace-normal text-bad text-sm">
          {t(`faults.${shown}`)}
        </span>
      )}
    </span>
  )
}

interface PriceFieldsProps {
  offer: Offer
  typed: TypedPrices
  isChosen: boolean
  onType: (name: string, unit: string, text: string) => void
}

/** The prices of a model for which none is known. */
export function OfferPriceFields({ offer, typed, isChosen, onType }: PriceFieldsProps) {
  const name = offer.upstreamModel
  return initialRateLines(offer.modality).map(({ unit }) => (
    <PriceField
      key={unit}
      unit={unit}
      model={name}
      text={typed[name]?.[unit] ?? ''}
      isChosen={isChosen}
      onType={(text) => onType(name, unit, text)}
    />
  ))
}
