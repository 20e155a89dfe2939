'use client'
import { useTranslations } from 'next-intl'
import { RadioGroup } from 'radix-ui'
import type { ReactNode } from 'react'
import { type UsageMeasure, type UsageReport, usageMeasure } from '#lib/contracts/usage'
import { Money } from '../money.tsx'
import { relativeChange } from '../overview/series.ts'
import { useFormat } from '../use-format.ts'
import { sizeOf } from './report.ts'

interface FiguresProps {
  report: UsageReport
  measure: UsageMeasure
  onChange: (measure: UsageMeasure) => void
}

/** The totals of the period, next to those of the previous one. The selected one is shown in the chart. */
export function Figures({ report, measure, onChange }: FiguresProps) {
  const t = useTranslations('usage')
  const format = useFormat()
  const { totals, before } = report
  const figures: Record<UsageMeasure, ReactNode> = {
    money: <Money nano={totals.nano} softClassName="text-lg font-normal tracking-normal" />,
    tokens: totals.tokens < 1_000_000 ? format.count(totals.tokens) : format.compact(totals.tokens),
    requests: format.count(totals.requests),
    errors: format.count(totals.errors),
  }
  const comparisonText = (one: UsageMeasure) => {
    const share = relativeChange(sizeOf(totals, one), sizeOf(before, one))
    return share === null ? t('nothingBefore') : t('compared', { share: format.change(share) })
  }
  return (
    <RadioGroup.Root
      aria-label={t('measure')}
      value={measure}
      onValueChange={(next) => onChange(usageMeasure.parse(next))}
      className="grid grid-cols-2 gap-3.5 lg:grid-cols-4"
    >
      {usageMeasure.options.map((one) => (
        <RadioGroup.Item
          key={one}
          value={one}
          className="flex min-w-0 flex-col rounded-lg border bg-panel p-4 text-left shadow-lift transition-colors hover:bg-hover data-[state=checked]:border-accent sm:p-[18px]"
        >
          <span className="text-second">{t(`measures.${one}`)}</span>
          <span className="figures mt-1 block max-w-full truncate font-[580] text-2xl tracking-[-0.02em] sm:text-3xl">
            {figures[one]}
          </span>
          <span className="mt-2 text-second text-sm leading-5">{comparisonText(one)}</span>
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}
