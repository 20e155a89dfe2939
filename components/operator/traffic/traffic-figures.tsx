'use client'
import { useTranslations } from 'next-intl'
import { RadioGroup } from 'radix-ui'
import type { ReactNode } from 'react'
import { type TrafficFigures, type TrafficMeasure, type TrafficReport, trafficMeasure } from '#lib/contracts/traffic'
import { formatMoney } from '#lib/domain/format-money'
import { Money } from '../../money.tsx'
import { type Format, useFormat } from '../../use-format.ts'

/** A share, from 0 to 1. */
const shareOf = (part: number, all: number): number => (all === 0 ? 0 : part / all)

/** A rate with three digits, two below ten, and at most three decimals: `120K`, `12.5`, `0.42`, `< 0.001`. */
function formatRate(value: number, format: Format): string {
  if (value > 0 && value < 0.001) return '< 0.001'
  if (value >= 100) return format.compact(Math.round(value))
  return String(Number(Number(value.toPrecision(value < 10 ? 2 : 3)).toFixed(3)))
}

/** A share in percent. A negative one, such as a margin, has no smallest value like `<0.1%`. */
export const formatShare = (share: number, format: Format): string =>
  share < 0 ? format.percent(share, share > -0.1 ? 1 : 0) : format.nonZeroPercent(share)

export const marginOf = ({ chargedNano, vendorCostNano }: TrafficFigures): bigint => BigInt(chargedNano) - BigInt(vendorCostNano)

type FigureTexts = Record<TrafficMeasure, { figure: ReactNode; note: ReactNode }>

function useFigureTexts({ totals, seconds }: TrafficReport): FigureTexts {
  const t = useTranslations('traffic')
  const format = useFormat()
  const errors = totals.vendorErrors + totals.houseErrors
  const tokens = totals.inputTokens + totals.outputTokens
  const short = (value: number) => (value < 100_000 ? format.count(value) : format.compact(value))
  // Two of them fit in a narrow card: a line break falls between them.
  const unbrokenDuration = (ms: number) => format.duration(ms).replace(' ', '\u00a0')
  const time = (times: TrafficFigures['first']) => ({
    figure: times.p95 === null ? '–' : format.duration(times.p95),
    note:
      times.p50 === null || times.p99 === null
        ? t('none')
        : t('times', { p50: unbrokenDuration(times.p50), p99: unbrokenDuration(times.p99) }),
  })
  const [revenue, margin] = [BigInt(totals.chargedNano), marginOf(totals)]
  const ofRevenue = (part: bigint | string) =>
    revenue === 0n ? t('revenueNoteNone') : t('ofRevenue', { share: formatShare(Number(part) / Number(revenue), format) })
  return {
    requests: {
      figure: t('perSecond', { value: formatRate(totals.requests / seconds, format) }),
      note: t('inAll', { count: short(totals.requests) }),
    },
    errors: {
      figure: formatShare(shareOf(errors, totals.requests), format),
      note: t('errorsNote', {
        vendor: short(totals.vendorErrors),
        house: short(totals.houseErrors),
        client: short(totals.clientErrors),
      }),
    },
    failures: {
      figure: formatShare(shareOf(totals.attemptFailures, totals.attempts), format),
      note: t('failuresNote', {
        count: short(totals.attemptFailures),
        all: short(totals.attempts),
        retries: short(totals.retries),
      }),
    },
    first: time(totals.first),
    took: time(totals.took),
    tokens: {
      figure: t('perSecond', { value: formatRate(tokens / seconds, format) }),
      note: t('tokensNote', { input: format.compact(totals.inputTokens), output: format.compact(totals.outputTokens) }),
    },
    revenue: {
      figure: <Money nano={totals.chargedNano} softClassName="text-lg font-normal tracking-normal" />,
      note:
        revenue === 0n || totals.requests === 0
          ? t('revenueNoteNone')
          : t('revenueNote', { amount: formatMoney(revenue / BigInt(totals.requests)).text }),
    },
    cost: {
      figure: <Money nano={totals.vendorCostNano} softClassName="text-lg font-normal tracking-normal" />,
      note:
        totals.shortfallNano !== '0'
          ? t('shortfallNote', { amount: formatMoney(totals.shortfallNano).text })
          : ofRevenue(totals.vendorCostNano),
    },
    margin: {
      figure: (
        <Money
          nano={margin}
          softClassName="text-lg font-normal tracking-normal"
          {...(margin < 0n ? { className: 'text-warn' } : {})}
        />
      ),
      note: ofRevenue(margin),
    },
  }
}

interface TrafficFiguresProps {
  report: TrafficReport
  measure: TrafficMeasure
  onChange: (measure: TrafficMeasure) => void
}

/** The totals of the range. The selected one is shown in the chart. */
export function TrafficFigureCards({ report, measure, onChange }: TrafficFiguresProps) {
  const t = useTranslations('traffic')
  const texts = useFigureTexts(report)
  return (
    <RadioGroup.Root
      aria-label={t('measure')}
      value={measure}
      onValueChange={(next) => onChange(trafficMeasure.parse(next))}
      className="grid grid-cols-2 gap-3 sm:grid-cols-3"
    >
      {trafficMeasure.options.map((one) => (
        <RadioGroup.Item
          key={one}
          value={one}
          data-measure={one}
          className="flex min-w-0 flex-col rounded-lg border bg-panel p-3.5 text-left shadow-lift transition-colors last:max-sm:col-span-2 hover:bg-hover data-[state=checked]:border-accent sm:p-4"
        >
          <span className="flex w-full items-baseline justify-between gap-2 text-second">
            {t(`measures.${one}`)}
            {(one === 'first' || one === 'took') && <span className="text-sm">{t('p95')}</span>}
          </span>
          <span className="figures mt-1 block max-w-full truncate font-[580] text-2xl tracking-[-0.02em]">
            {texts[one].figure}
          </span>
          <span className="figures mt-1.5 text-second text-sm leading-5">{texts[one].note}</span>
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}
