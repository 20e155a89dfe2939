'use client'
import { useTranslations } from 'next-intl'
import type { RequestRow } from '#lib/contracts/requests'
import { cn } from '../cn.ts'
import { stretches, stretchOf } from './merge-rows.ts'

const COUNT = 60

/** When the listed requests came in, with the failed ones capped in red. The open request's moment stands out. */
export function ActivityStrip({ rows, open }: { rows: RequestRow[]; open: RequestRow | undefined }) {
  const t = useTranslations('history')
  const strip = stretches(rows, COUNT)
  if (strip.length === 0) return null
  const most = Math.max(...strip.map((stretch) => stretch.all))
  const marked = open === undefined ? -1 : stretchOf(open, strip)
  const failed = strip.reduce((sum, stretch) => sum + stretch.failed, 0)
  return (
    <div role="img" aria-label={t('strip', { count: rows.length, failed })} className="flex h-10 items-end gap-[3px]">
      {strip.map((stretch, index) => (
        <div key={stretch.from} className="flex h-full min-w-0 flex-1 flex-col justify-end gap-px">
          {stretch.failed > 0 && <div className="h-[3px] shrink-0 rounded-[1px] bg-bad" />}
          <div
            className={cn('min-h-0.5 rounded-[1.5px]', index === marked ? 'bg-accent' : 'bg-line')}
            style={{ height: `${(stretch.all / most) * 88}%` }}
          />
        </div>
      ))}
    </div>
  )
}
