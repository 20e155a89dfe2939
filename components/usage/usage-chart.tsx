'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { UsageReport } from '#lib/contracts/usage'
import { ChartCard } from '../chart/chart-card.tsx'
import { useFormat } from '../use-format.ts'
import { barsOf, measureOf } from './report.ts'
import { useSeriesNames } from './use-usage.ts'

interface UsageChartProps {
  report: UsageReport
  /** Replaces the title, which otherwise names what the chart shows. */
  title?: string
  /** Shown if there is no usage: what else to look at. */
  nothing?: string
  children?: ReactNode
}

/** A report over time. */
export function UsageChart({ report, title, nothing, children }: UsageChartProps) {
  const t = useTranslations('usage')
  const format = useFormat()
  const { by, measure } = report
  const names = useSeriesNames()(report)
  const text = { measure: t(`measures.${measure}`), by: t(`byWords.${by}`) }
  return (
    <ChartCard
      title={title ?? t('chartTitle', text)}
      label={t('chartLabel', { ...text, unit: t(`unitWords.${report.unit}`) })}
      head={t(`units.${report.unit}`)}
      bars={barsOf(report, format)}
      names={names}
      measure={measureOf(measure, format)}
      empty={report.totals.requests > 0 ? t('noneOfThis') : (nothing ?? t('nothing'))}
      className="min-h-[320px]"
    >
      {children}
    </ChartCard>
  )
}
