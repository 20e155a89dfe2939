'use client'
import { ChartColumn, Table2 } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { Overview } from '#lib/contracts/overview'
import { Button } from '../ui/button.tsx'
import { Card, CardHead } from '../ui/card.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { Table, Td, Th } from '../ui/table.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import { useFormat } from '../use-format.ts'
import { type Bar, COLORS, type Metric, namedModels, toBars } from './series.ts'
import { SpendChart, writeValue } from './spend-chart.tsx'

interface ViewProps {
  bars: Bar[]
  names: string[]
  metric: Metric
}

function SpendTable({ bars, names, metric }: ViewProps) {
  const t = useTranslations('overview')
  const format = useFormat()
  const rest = bars.some((bar) => (bar.values.at(-1) ?? 0n) > 0n)
  const heads = rest ? [...names, t('otherModels')] : names
  return (
    <Table frameLabel={t(`chart.${metric}`)} frameClassName="max-h-64 overflow-y-auto">
      <thead>
        <tr>
          <Th>{t('day')}</Th>
          {heads.map((head) => (
            <Th key={head} figures>
              {head}
            </Th>
          ))}
          <Th figures>{t('total')}</Th>
        </tr>
      </thead>
      <tbody>
        {bars.toReversed().map((bar) => (
          <tr key={bar.day}>
            <Td className="whitespace-nowrap">{format.day(bar.day)}</Td>
            {heads.map((head, index) => (
              <Td key={head} figures className="text-second">
                {writeValue(bar.values[index] ?? 0n, metric, format)}
              </Td>
            ))}
            <Td figures>{writeValue(bar.total, metric, format)}</Td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

function Legend({ names, rest }: { names: string[]; rest: boolean }) {
  const t = useTranslations('overview')
  return (
    <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-second text-sm">
      {[...names, ...(rest ? [t('otherModels')] : [])].map((name, index) => (
        <li key={name} className="flex min-w-0 items-center gap-1.5">
          <span
            aria-hidden
            className="size-2 shrink-0 rounded-[2px]"
            style={{ background: index < names.length ? COLORS[index] : COLORS.at(-1) }}
          />
          <span className="truncate">{name}</span>
        </li>
      ))}
    </ul>
  )
}

/** What the days cost, by model; as bars or as a table. */
export function SpendCard({ data }: { data: Overview }) {
  const t = useTranslations('overview')
  const [metric, setMetric] = useState<Metric>('money')
  const [asTable, setAsTable] = useState(false)
  const names = namedModels(data)
  const bars = toBars(data.days, names, metric)
  const Sign = asTable ? ChartColumn : Table2
  const other = asTable ? t('asChart') : t('asTable')
  return (
    <Card className="flex flex-col">
      <CardHead title={t('spendByModel')}>
        <div className="flex items-center gap-2">
          <Segmented
            label={t('metric')}
            value={metric}
            onChange={setMetric}
            options={(['money', 'tokens', 'requests'] as const).map((value) => ({ value, label: t(`metrics.${value}`) }))}
          />
          <Tooltip text={other}>
            <Button size="tiny" aria-label={other} onClick={() => setAsTable(!asTable)}>
              <Sign aria-hidden className="size-3.5 text-second" />
            </Button>
          </Tooltip>
        </div>
      </CardHead>
      <div className="mt-4 flex flex-1 flex-col">
        {bars.every((bar) => bar.total === 0n) ? (
          <p className="m-auto max-w-xs py-16 text-center text-second">{t('noSpend')}</p>
        ) : asTable ? (
          <SpendTable bars={bars} names={names} metric={metric} />
        ) : (
          <>
            <SpendChart key={bars.length} bars={bars} names={names} metric={metric} />
            <Legend names={names} rest={bars.some((bar) => (bar.values.at(-1) ?? 0n) > 0n)} />
          </>
        )}
      </div>
    </Card>
  )
}
