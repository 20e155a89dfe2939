import Link from 'next/link'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { ModelRow } from '#lib/contracts/catalog'
import type { GroupRow } from '#lib/contracts/keys'
import type { ModelSize } from '#lib/domain/catalog'
import { formatFactor } from '#lib/domain/format-money'
import { SampleTabs } from '../site/sample-tabs.tsx'
import { firstCall } from '../site/samples.ts'
import { BackLink } from '../ui/back-link.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Table, Td, Th } from '../ui/table.tsx'
import { Tag } from '../ui/tag.tsx'
import { ModelCalculator } from './model-calculator.tsx'
import { Price } from './price.tsx'
import { factorOf, hasContext, hasOutput } from './query.ts'
import { unitPrices } from './rates.ts'
import { useModelLabels } from './use-model-labels.ts'
import { useServerFormat } from './use-server-format.ts'

interface ModelPageProps {
  model: ModelRow
  /** The groups that contain the model. */
  groups: GroupRow[]
  baseUrl: string
}

const Fact = ({ name, children }: { name: ReactNode; children: ReactNode }) => (
  <div className="flex items-baseline justify-between gap-4 border-line-soft border-b py-2 last:border-b-0">
    <dt className="shrink-0 text-second">{name}</dt>
    <dd className="figures min-w-0 text-right">{children}</dd>
  </div>
)

function Facts({ model }: { model: ModelRow }) {
  const t = useTranslations('models')
  const labels = useModelLabels()
  const dates = useServerFormat()
  const { facts } = model
  const tokensText = (size: ModelSize) => (facts.assumed?.includes(size) ? 'assumedTokens' : 'tokens')
  const lists = (['sizes', 'qualities', 'voices', 'formats'] as const).filter((name) => facts[name].length > 0)
  return (
    <Card>
      <CardHeader title={t('facts')} />
      <dl className="mt-1">
        <Fact name={t('vendor')}>{model.ownedBy}</Fact>
        <Fact name={t('modality')}>{labels.modality(model.modality)}</Fact>
        {hasContext(model) && (
          <Fact name={t('context')}>{t(tokensText('contextWindow'), { count: dates.count(model.contextWindow) })}</Fact>
        )}
        {hasOutput(model) && (
          <Fact name={t('maxOutput')}>{t(tokensText('maxOutput'), { count: dates.count(model.maxOutput) })}</Fact>
        )}
        {facts.dimensions !== null && <Fact name={t('dimensions')}>{dates.count(facts.dimensions)}</Fact>}
        {lists.map((name) => (
          <Fact key={name} name={t(name)}>
            {dates.list(facts[name])}
          </Fact>
        ))}
        {facts.durations.length > 0 && <Fact name={t('durations')}>{t('seconds', { list: dates.list(facts.durations) })}</Fact>}
        <Fact name={t('added')}>{dates.day(model.createdAt)}</Fact>
      </dl>
    </Card>
  )
}

function Prices({ model, groups }: Omit<ModelPageProps, 'baseUrl'>) {
  const t = useTranslations('models')
  const labels = useModelLabels()
  const dates = useServerFormat()
  return (
    <Card>
      <CardHeader title={t('prices')}>
        <span className="text-second text-sm">{t('priceSince', { date: dates.day(model.priceFrom) })}</span>
      </CardHeader>
      <Table frameLabel={t('prices')}>
        <thead>
          <tr>
            <Th>{t('unit')}</Th>
            {groups.map((group) => (
              <Th key={group.id} figures>
                {groups.length === 1 ? t('priceHead') : `${group.name} × ${formatFactor(group.multiplierBp)}`}
              </Th>
            ))}
          </tr>
        </thead>
        <tbody>
          {unitPrices(model, 10_000n).map(({ unit }) => (
            <tr key={unit}>
              <Td>{labels.unit(unit)}</Td>
              {groups.map((group) => {
                const price = unitPrices(model, factorOf(group)).find((each) => each.unit === unit)
                return (
                  <Td key={group.id} figures>
                    {price && <Price price={price} className="font-medium" />}
                  </Td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  )
}

/** The page of a model: its properties, its prices, a cost calculator and an example call. */
export function ModelPage({ model, groups, baseUrl }: ModelPageProps) {
  const t = useTranslations('models')
  const common = useTranslations('common')
  const labels = useModelLabels()
  return (
    <div className="flex flex-col gap-5">
      <div>
        <BackLink href="/models" name={t('title')} className="mb-2.5" />
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <h1 className="wrap-anywhere font-[580] text-3xl tracking-[-0.02em]">{model.id}</h1>
          <CopyButton text={model.id} label={t('modelId')} />
        </div>
        <div className="mt-2 flex flex-wrap items-center gap-1.5">
          <Tag tone="good">{labels.modality(model.modality)}</Tag>
          {model.capabilities.map((name) => (
            <Tag key={name}>{labels.capability(name)}</Tag>
          ))}
        </div>
      </div>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <Prices model={model} groups={groups} />
        <Facts model={model} />
      </div>
      <Card>
        <CardHeader title={t('calculator')}>
          <Button asChild size="small">
            <Link href={`/models?compare=${encodeURIComponent(model.id)}`}>{t('compareWith')}</Link>
          </Button>
        </CardHeader>
        <ModelCalculator model={model} groups={groups} />
      </Card>
      {model.modality === 'chat' && (
        <SampleTabs label={t('example')} samples={firstCall({ baseUrl, model: model.id, greeting: common('greeting') })} />
      )}
    </div>
  )
}
