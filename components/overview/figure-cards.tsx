'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { Overview } from '#lib/contracts/overview'
import { cn } from '../cn.ts'
import { Money } from '../money.tsx'
import { Card } from '../ui/card.tsx'
import { useFormat } from '../use-format.ts'
import { failedShare, relativeChange, valuesOf } from './series.ts'
import { Sparkline } from './sparkline.tsx'

interface FigureProps {
  title: string
  figure: ReactNode
  note: ReactNode
  values: (number | null)[]
  color: string
}

function Figure({ title, figure, note, values, color }: FigureProps) {
  return (
    <Card className="flex flex-col last:max-sm:col-span-2">
      <h2 className="text-second">{title}</h2>
      <p className="figures wrap-anywhere mt-1 font-[580] text-2xl tracking-[-0.02em] *:whitespace-normal sm:text-3xl">
        {figure}
      </p>
      <p className="mt-2 mb-3 text-second text-sm leading-5">{note}</p>
      <div className="mt-auto">
        <Sparkline values={values} color={color} />
      </div>
    </Card>
  )
}

function SpendComparison({ data }: { data: Overview }) {
  const t = useTranslations('overview')
  const format = useFormat()
  // The days of the shown figures: while another period is loading, the previous ones are still shown.
  const days = data.days.length
  const share = relativeChange(BigInt(data.spentNano), BigInt(data.spentBeforeNano))
  if (share === null) return t('nothingBefore', { days })
  const text = format.change(share)
  const tone = text.startsWith('+') ? 'text-bad' : text.startsWith('−') ? 'text-accent' : ''
  return t.rich('compared', {
    days,
    share: text,
    b: (chunks) => <span className={cn('font-medium', tone)}>{chunks}</span>,
  })
}

function FirstToken({ ms }: { ms: number | null }) {
  const format = useFormat()
  const [value, unit] = ms === null ? ['–', ''] : format.duration(ms).split(' ')
  return (
    <>
      {value} {unit !== '' && <span className="font-normal text-lg text-second tracking-normal">{unit}</span>}
    </>
  )
}

/** The spending, the number of requests and how quickly answers began, each with its trend. */
export function FigureCards({ data }: { data: Overview }) {
  const t = useTranslations('overview')
  const format = useFormat()
  const trendOf = (metric: 'money' | 'requests') => data.days.map((day) => Number(valuesOf(day, [], metric)[0]))
  const failed = failedShare(data.errors, data.requests)
  const own = data.ownMs === null ? null : format.duration(data.ownMs)
  // The gateway's own time is a mean over all requests, including non-streamed answers and the first ones after a start.
  const isWithinFirstToken = data.firstTokenMs !== null && data.ownMs !== null && data.ownMs <= data.firstTokenMs
  const firstTokenNote = own === null ? t('noFirstToken') : t(isWithinFirstToken ? 'ownShare' : 'ownAlone', { time: own })
  return (
    <>
      <Figure
        title={t('spent')}
        figure={<Money nano={data.spentNano} softClassName="text-lg font-normal tracking-normal" />}
        note={<SpendComparison data={data} />}
        values={trendOf('money')}
        color="var(--series-1)"
      />
      <Figure
        title={t('requests')}
        figure={format.count(data.requests)}
        note={data.errors === 0 ? t('noneFailed') : t('failed', { share: format.nonZeroPercent(failed, failed < 0.01 ? 2 : 1) })}
        values={trendOf('requests')}
        color="var(--series-2)"
      />
      <Figure
        title={t('firstToken')}
        figure={<FirstToken ms={data.firstTokenMs} />}
        note={firstTokenNote}
        values={data.days.map((day) => day.firstTokenMs)}
        color="var(--series-4)"
      />
    </>
  )
}
