'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Money } from '../money.tsx'
import { useFormat } from '../use-format.ts'
import { type Figures, tokensPerSecond } from './figures.ts'

const Figure = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex items-baseline gap-1.5">
    <dt className="text-second">{name}</dt>
    <dd className="figures">{children}</dd>
  </div>
)

interface FiguresLineProps {
  figures: Figures
  /** What arrives first. */
  first?: 'first' | 'firstBytes'
  children?: ReactNode
}

/** The cost and duration of a call, with a link to its record. Unknown values are left out. */
export function FiguresLine({ figures, first = 'first', children }: FiguresLineProps) {
  const t = useTranslations('playground.figures')
  const format = useFormat()
  const rate = tokensPerSecond(figures)
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-sm">
      <dl className="flex flex-wrap gap-x-4 gap-y-0.5">
        {figures.costNano !== null && (
          <Figure name={t('cost')}>
            <span data-testid="cost">
              <Money nano={figures.costNano} style="exact" className="font-medium" />
            </span>
          </Figure>
        )}
        {figures.inputTokens !== null && figures.inputTokens > 0 && (
          <Figure name={t('input')}>{format.count(figures.inputTokens)}</Figure>
        )}
        {figures.outputTokens !== null && figures.outputTokens > 0 && (
          <Figure name={t('output')}>{format.count(figures.outputTokens)}</Figure>
        )}
        {figures.firstMs !== null && <Figure name={t(first)}>{format.duration(figures.firstMs)}</Figure>}
        {rate !== null && <Figure name={t('rate')}>{format.count(Math.round(rate))}</Figure>}
        {figures.totalMs !== null && <Figure name={t('total')}>{format.duration(figures.totalMs)}</Figure>}
      </dl>
      <div className="flex items-center gap-1">
        {figures.requestId !== null && (
          <Link
            href={`/history?id=${encodeURIComponent(figures.requestId)}`}
            className="rounded-sm text-accent underline underline-offset-4"
          >
            {t('record')}
          </Link>
        )}
        {children}
      </div>
    </div>
  )
}
