'use client'
import { X } from 'lucide-react'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { ModelRow } from '#lib/contracts/catalog'
import { Money } from '../money.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Table } from '../ui/table.tsx'
import { useFormat } from '../use-format.ts'
import { CalculatorFields, useCalculator } from './calculator.tsx'
import { type Estimate, estimate } from './estimate.ts'
import { modelPath } from './model-path.ts'
import { Price } from './price.tsx'
import { factorOf, hasContext, hasOutput, type Query, sizeText } from './query.ts'
import { unitPrices } from './rates.ts'
import { useModelLabels } from './use-model-labels.ts'

interface CompareCardProps {
  models: readonly ModelRow[]
  query: Query
  onRemove: (id: string) => void
  onClear: () => void
}

interface CompareRowProps {
  name: ReactNode
  models: readonly ModelRow[]
  render: (model: ModelRow) => ReactNode
  strong?: boolean
}

const CompareRow = ({ name, models, render, strong = false }: CompareRowProps) => (
  <tr className={strong ? 'font-semibold' : undefined}>
    <th scope="row" className="border-line-soft border-b py-2 pr-3 text-left font-normal text-second">
      {name}
    </th>
    {models.map((model) => (
      <td key={model.id} className="figures min-w-36 border-line-soft border-b px-2 py-2 text-right">
        {render(model)}
      </td>
    ))}
  </tr>
)

interface ModelHeadProps {
  model: ModelRow
  onRemove: () => void
}

function ModelHead({ model, onRemove }: ModelHeadProps) {
  const t = useTranslations('models')
  return (
    <th scope="col" className="w-[21%] border-b px-2 py-2 text-right font-medium">
      <span className="inline-flex items-center gap-1">
        <Link href={modelPath(model.id)} prefetch={false} className="wrap-anywhere hover:underline">
          {model.id}
        </Link>
        <Button tone="ghost" size="tiny" aria-label={t('remove', { model: model.id })} onClick={onRemove}>
          <X aria-hidden className="size-3.5" />
        </Button>
      </span>
    </th>
  )
}

/** The properties of the models and their unit prices. A unit has a line if at least one of the models has a price for it. */
function useFacts(models: readonly ModelRow[], factor: bigint): Omit<CompareRowProps, 'models'>[] {
  const t = useTranslations('models')
  const format = useFormat()
  const labels = useModelLabels()
  const units = [...new Set(models.flatMap((model) => unitPrices(model, factor).map(({ unit }) => unit)))]
  return [
    { name: t('modality'), render: (model) => labels.modality(model.modality) },
    {
      name: t('context'),
      render: (model) => (hasContext(model) ? sizeText(model, 'contextWindow', format.count(model.contextWindow)) : '–'),
    },
    {
      name: t('maxOutput'),
      render: (model) => (hasOutput(model) ? sizeText(model, 'maxOutput', format.count(model.maxOutput)) : '–'),
    },
    { name: t('capabilities'), render: (model) => format.list(model.capabilities.map(labels.capability)) || '–' },
    ...units.map((unit) => ({
      name: labels.unit(unit),
      render: (model: ModelRow) => {
        const price = unitPrices(model, factor).find((each) => each.unit === unit)
        return price ? <Price price={price} /> : '–'
      },
    })),
  ]
}

/** The cost of all requests to a model, and the units that it has no price for. */
function TotalCost({ cost }: { cost: Estimate | undefined }) {
  const t = useTranslations('models')
  const labels = useModelLabels()
  const format = useFormat()
  return (
    <>
      <Money nano={cost?.total ?? 0n} style="exact" className="text-lg" />
      {cost && cost.unpricedUnits.length > 0 && (
        <span className="block font-normal text-second text-sm">
          {t('without', { units: format.list(cost.unpricedUnits.map(labels.unit)) })}
        </span>
      )}
    </>
  )
}

/** Up to four models side by side: their properties, their prices, and the cost of a given usage. */
export function CompareCard({ models, query, onRemove, onClear }: CompareCardProps) {
  const t = useTranslations('models')
  const format = useFormat()
  const calculator = useCalculator(models)
  const factor = factorOf(query.group)
  const costs = new Map(models.map((model) => [model.id, estimate(model, calculator.ask, factor)]))
  const facts = useFacts(models, factor)
  return (
    <Card aria-label={t('compare')}>
      <CardHeader title={models.length === 1 ? t('calculator') : t('sideBySide', { count: models.length })}>
        <Button tone="ghost" size="small" onClick={onClear}>
          <X aria-hidden className="size-3.5" />
          {t('clearCompare')}
        </Button>
      </CardHeader>
      <div className="mt-3">
        <CalculatorFields calculator={calculator} />
      </div>
      <Table frameLabel={t('sideBySide', { count: models.length })} frameClassName="mt-4">
        <thead>
          <tr>
            <td />
            {models.map((model) => (
              <ModelHead key={model.id} model={model} onRemove={() => onRemove(model.id)} />
            ))}
          </tr>
        </thead>
        <tbody>
          {facts.map((line) => (
            <CompareRow key={String(line.name)} models={models} {...line} />
          ))}
          <CompareRow
            models={models}
            name={t('perRequest')}
            render={(model) => <Money nano={costs.get(model.id)?.perRequest ?? 0n} style="exact" />}
          />
          <CompareRow
            strong
            models={models}
            name={t('forRequests', { count: format.count(Number(calculator.ask.requests)) })}
            render={(model) => <TotalCost cost={costs.get(model.id)} />}
          />
        </tbody>
      </Table>
    </Card>
  )
}
