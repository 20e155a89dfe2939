'use client'
import { useTranslations } from 'next-intl'
import type { RequestDetail } from '#lib/contracts/requests'
import { useFormat } from '../use-format.ts'
import { type TimeShareName, timeSharesOf } from './time-shares.ts'

const COLORS: Record<TimeShareName, string> = {
  own: 'bg-series-3',
  vendorTime: 'bg-series-2',
  untilFirst: 'bg-series-2',
  answer: 'bg-series-1',
}

/** The time of a request: the gateway's own share, the wait for the first token, and the rest of the answer. */
export function Waterfall({ detail }: { detail: RequestDetail }) {
  const t = useTranslations('history')
  const format = useFormat()
  const shares = timeSharesOf(detail)
  return (
    <div>
      <div aria-hidden className="flex h-[7px] forced-color-adjust-none gap-px overflow-hidden rounded-full">
        {shares.map(({ name, ms }) => (
          <div key={name} className={COLORS[name]} style={{ flex: `${ms} 0 ${ms > 0 ? '3px' : '0px'}` }} />
        ))}
      </div>
      <dl className="figures mt-1.5 flex flex-wrap justify-between gap-x-3 text-second text-xs">
        {shares.map(({ name, ms }) => (
          <div key={name} className="flex items-center gap-1.5">
            <span aria-hidden className={`size-1.5 forced-color-adjust-none rounded-full ${COLORS[name]}`} />
            <dt>{t(name)}</dt>
            <dd className="text-ink">{format.duration(ms)}</dd>
          </div>
        ))}
        <div className="flex items-center gap-1.5">
          <dt>{t('total')}</dt>
          <dd className="text-ink">{format.duration(detail.tookMs)}</dd>
        </div>
      </dl>
    </div>
  )
}
