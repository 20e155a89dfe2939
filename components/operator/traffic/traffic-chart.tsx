'use client'
import { useTranslations } from 'next-intl'
import { MAX_SERIES, type TrafficReport, trafficPercentile } from '#lib/contracts/traffic'
import type { Bar, Measure } from '../../chart/axis.ts'
import { ChartCard } from '../../chart/chart-card.tsx'
import { countMeasure, exactMoneyMeasure, moneyMeasure, timeMeasure } from '../../chart/measures.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { updateSearchParams } from '../../update-search-params.ts'
import { type Format, useFormat } from '../../use-format.ts'

const HOUR_S = 3600
const DAY_S = 24 * HOUR_S

function barsOf({ bars, barSeconds }: TrafficReport, format: Format): Bar[] {
  return bars.map(({ at, values }) => {
    const name = barSeconds >= DAY_S ? format.day(at.slice(0, 10)) : format.dayHour(at)
    const label = barSeconds >= DAY_S ? name : barSeconds > HOUR_S ? format.day(at.slice(0, 10)) : format.hour(at)
    return { key: at, label, name, values: values.map(BigInt) }
  })
}

const isTime = (measure: TrafficReport['measure']): boolean => measure === 'first' || measure === 'took'

/** Whether the bars have one series. A margin is a sum of gains and losses, and its parts would hide the result. */
const hasSingleSeries = (measure: TrafficReport['measure']): boolean => isTime(measure) || measure === 'margin'

function measureOf({ measure }: TrafficReport, format: Format): Measure {
  if (measure === 'margin') return exactMoneyMeasure
  if (measure === 'revenue' || measure === 'cost') return moneyMeasure
  return isTime(measure) ? timeMeasure(format) : countMeasure(format)
}

/** The short name of a group. */
export const groupName = ({ name, upstreamModel }: TrafficReport['groups'][number]): string =>
  upstreamModel === null ? name : `${name} ${upstreamModel}`

function useSeriesNames(): (report: TrafficReport) => string[] {
  const t = useTranslations('traffic')
  return ({ measure, groups }) => {
    if (measure === 'errors') return (['vendor', 'house', 'client'] as const).map((fault) => t(`faults.${fault}`))
    if (hasSingleSeries(measure)) return [t('whole')]
    return [...groups.slice(0, MAX_SERIES).map(groupName), t('others')]
  }
}

/** The report over time. */
export function TrafficChart({ report }: { report: TrafficReport }) {
  const t = useTranslations('traffic')
  const format = useFormat()
  const { measure, p } = report
  const names = useSeriesNames()(report)
  const bars = barsOf(report, format)
  // If every group has its own series, there is no series for the others.
  const hidesOthers =
    !hasSingleSeries(measure) && measure !== 'errors' && bars.every(({ values }) => (values.at(-1) ?? 0n) === 0n)
  const shown = hidesOthers ? bars.map((bar) => ({ ...bar, values: bar.values.slice(0, -1) })) : bars
  const text = t(`measures.${measure}`)
  return (
    <ChartCard
      title={isTime(measure) ? t('chartPercentile', { measure: text, p }) : t('chartTitle', { measure: text })}
      label={t('chartLabel', { measure: text, bar: t(`bars.${String(report.barSeconds) as '60'}`) })}
      head={t('bar')}
      bars={shown}
      names={hidesOthers ? names.slice(0, -1) : names}
      measure={measureOf(report, format)}
      summed={!isTime(measure)}
      empty={report.totals.requests + report.totals.attempts > 0 ? t('noneOfThis') : t('nothing')}
      className="min-h-[320px]"
    >
      {isTime(measure) && (
        <Segmented
          label={t('percentile')}
          value={p}
          onChange={(next) => updateSearchParams({ p: next === '95' ? null : next })}
          options={trafficPercentile.options.map((value) => ({ value, label: `p${value}` }))}
        />
      )}
    </ChartCard>
  )
}
