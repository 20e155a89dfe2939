'use client'
import { useTranslations } from 'next-intl'
import type { RequestDetail } from '#lib/contracts/requests'
import { useFormat } from '../use-format.ts'

/** The time of a request: the gateway's own share, the wait for the first token, and the rest of the answer. */
export function Waterfall({ detail }: { detail: RequestDetail }) {
  const t = useTranslations('history')
  const format = useFormat()
  const total = Math.max(detail.tookMs, detail.ownMs, 0.001)
  const first = detail.firstTokenMs === null ? total : Math.min(detail.firstTokenMs, total)
  const own = Math.min(detail.ownMs, first)
  const parts = [
    { name: t('own'), ms: detail.ownMs, width: own, color: 'bg-series-3' },
    detail.firstTokenMs === null
      ? { name: t('vendorTime'), ms: Math.max(0, total - detail.ownMs), width: first - own, color: 'bg-series-2' }
      : { name: t('firstToken'), ms: detail.firstTokenMs, width: first - own, color: 'bg-series-2' },
    { name: t('total'), ms: detail.tookMs, width: total - first, color: 'bg-series-1' },
  ]
  return (
    <div>
      <div aria-hidden className="flex h-[7px] forced-color-adjust-none gap-px overflow-hidden rounded-full">
        {parts.map((part) => (
          <div key={part.name} className={part.color} style={{ flex: `${part.width} 0 ${part.width > 0 ? '3px' : '0px'}` }} />
        ))}
      </div>
      <dl className="figures mt-1.5 flex flex-wrap justify-between gap-x-3 text-second text-xs">
        {parts.map((part) => (
          <div key={part.name} className="flex items-center gap-1.5">
            <span aria-hidden className={`size-1.5 forced-color-adjust-none rounded-full ${part.color}`} />
            <dt>{part.name}</dt>
            <dd className="text-ink">{format.duration(part.ms)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
