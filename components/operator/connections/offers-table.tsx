'use client'
import { ArrowRight } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { Offer } from '#lib/contracts/operator-import'
import { formatPrice } from '#lib/domain/format-money'
import { pricedPer } from '../../models/rates.ts'
import { useModelLabels } from '../../models/use-model-labels.ts'
import { Table, Td, Th } from '../../ui/table.tsx'
import { useStoredText } from '../../use-stored-text.ts'
import { OfferPriceFields, type TypedPrices } from './offer-prices.tsx'

interface OffersTableProps {
  rows: readonly Offer[]
  view: Offer['state']
  chosen: ReadonlySet<string>
  onChoose: (names: string[], on: boolean) => void
  typed: TypedPrices
  onType: (name: string, unit: string, text: string) => void
}

/** Old and new prices, unit by unit. Unchanged units are left out. */
function PriceDifferences({ offer }: { offer: Offer }) {
  const t = useTranslations('operator')
  const labels = useModelLabels()
  const before = offer.vendorRates ?? {}
  const after = offer.found ?? {}
  const units = [...new Set([...Object.keys(after), ...Object.keys(before)])].filter((unit) => before[unit] !== after[unit])
  const text = (unit: string, rate: string | undefined) => (rate === undefined ? '–' : formatPrice(rate, pricedPer(unit)))
  return units.map((unit) => (
    <span key={unit} className="flex items-center justify-end gap-1.5">
      <span className="text-second text-sm">{labels.unit(unit)}</span>
      {offer.state === 'price' && (
        <>
          <s className="text-second">
            <span className="sr-only">{t('before')}</span>
            {text(unit, before[unit])}
          </s>
          <ArrowRight aria-hidden className="size-3 text-second" />
        </>
      )}
      <span>{text(unit, after[unit])}</span>
    </span>
  ))
}

function Row({ offer, ...props }: { offer: Offer } & Omit<OffersTableProps, 'rows'>) {
  const t = useTranslations('operator')
  const storedText = useStoredText()
  const labels = useModelLabels()
  const { view, chosen, onChoose } = props
  const name = offer.upstreamModel
  return (
    <tr data-offer={name}>
      {view !== 'gone' && view !== 'same' && (
        <Td className="w-4 align-top">
          <input
            type="checkbox"
            className="mt-0.5 size-4 accent-accent"
            aria-label={t('takeNamed', { model: name })}
            checked={chosen.has(name)}
            onChange={(event) => onChoose([name], event.target.checked)}
          />
        </Td>
      )}
      <Td className="align-top">
        <span className="block wrap-anywhere font-medium">{name}</span>
        <span className="block wrap-anywhere text-second text-sm">
          {offer.modelId} · {labels.modality(offer.modality)}
        </span>
        {offer.note !== '' && <span className="block text-second text-sm">{storedText(offer.note)}</span>}
      </Td>
      <Td figures className="align-top">
        {view === 'same' || view === 'gone' ? (
          <PriceDifferences offer={{ ...offer, vendorRates: null, found: offer.rates }} />
        ) : offer.found === null ? (
          <OfferPriceFields offer={offer} typed={props.typed} isChosen={chosen.has(name)} onType={props.onType} />
        ) : (
          <PriceDifferences offer={offer} />
        )}
      </Td>
    </tr>
  )
}

/** The models with one kind of difference and their prices, for selection. */
export function OffersTable({ rows, ...props }: OffersTableProps) {
  const t = useTranslations('operator')
  const names = rows.map(({ upstreamModel }) => upstreamModel)
  const all = names.length > 0 && names.every((name) => props.chosen.has(name))
  const isSelectable = props.view !== 'gone' && props.view !== 'same'
  if (rows.length === 0) return <p className="py-6 text-center text-second">{t('offersNone')}</p>
  return (
    <Table frameLabel={t('differences')} frameClassName="max-h-[46dvh] overflow-y-auto">
      <thead>
        <tr>
          {isSelectable && (
            <Th>
              <input
                type="checkbox"
                className="size-4 accent-accent align-middle"
                aria-label={t('takeAll')}
                checked={all}
                onChange={(event) => props.onChoose(names, event.target.checked)}
              />
            </Th>
          )}
          <Th>{t('model')}</Th>
          <Th figures>{t('price')}</Th>
        </tr>
      </thead>
      <tbody>
        {rows.map((offer) => (
          <Row key={offer.upstreamModel} offer={offer} {...props} />
        ))}
      </tbody>
    </Table>
  )
}
