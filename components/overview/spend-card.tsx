'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { Overview } from '#lib/contracts/overview'
import { ChartCard } from '../chart/chart-card.tsx'
import { countMeasure, moneyMeasure, timeMeasure } from '../chart/measures.ts'
import { Segmented } from '../ui/segmented.tsx'
import { useFormat } from '../use-format.ts'
import { useModelName } from '../use-model-name.ts'
import { type Metric, namedModels, toBars } from './series.ts'

const METRICS = ['money', 'tokens', 'requests', 'errors', 'latency'] as const

/** The days of the period by model: cost, usage and failures, and how quickly answers began. */
export function SpendCard({ data }: { data: Overview }) {
  const t = useTranslations('overview')
  const format = useFormat()
  const [metric, setMetric] = useState<Metric>('money')
  const modelName = useModelName()
  const named = namedModels(data)
  const rest = data.models.length > named.length
  const names = metric === 'latency' ? [t('firstTokenMean')] : [...named.map(modelName), ...(rest ? [t('otherModels')] : [])]
  const measure = metric === 'money' ? moneyMeasure : metric === 'latency' ? timeMeasure(format) : countMeasure(format)
  return (
    <ChartCard
      title={
        <>
          {t(`titles.${metric}`)} <span className="whitespace-nowrap font-normal text-second text-sm">{t('utcDays')}</span>
        </>
      }
      label={t(`chart.${metric}`)}
      head={t('day')}
      bars={toBars(data.days, named, metric, format.day)}
      names={names}
      measure={measure}
      summed={metric !== 'latency'}
      empty={metric === 'errors' && data.requests > 0 ? t('noErrors') : t('noSpend')}
    >
      <Segmented
        label={t('metric')}
        value={metric}
        onChange={setMetric}
        options={METRICS.map((value) => ({ value, label: t(`metrics.${value}`) }))}
        className="max-w-full [&>button]:max-sm:px-1.5 max-[359px]:[&>button]:px-0.5 max-[359px]:[&>button]:text-xs"
      />
    </ChartCard>
  )
}
