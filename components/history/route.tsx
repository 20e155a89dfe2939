'use client'
import { useTranslations } from 'next-intl'
import type { RequestDetail } from '#lib/contracts/requests'
import { placed } from '../placed.ts'
import { Dot } from '../ui/tag.tsx'
import { useFormat } from '../use-format.ts'

/** The vendors that were tried, in their order. */
export function Route({ attempts }: { attempts: RequestDetail['attempts'] }) {
  const t = useTranslations('history')
  const format = useFormat()
  if (attempts.length === 0) return null
  return (
    <section>
      <h3 className="mb-1 font-semibold">{t('route')}</h3>
      <ol>
        {placed(attempts).map(({ place, value: attempt }) => {
          const good = attempt.result === 'answered'
          return (
            <li key={place} className="flex items-start gap-2 py-[3.5px]">
              <Dot tone={good ? 'good' : 'bad'} className="mt-[6.5px]" />
              <div className="min-w-0 flex-1">
                {attempt.connection}{' '}
                <span className="ml-1 text-second">
                  {good ? t('answered') : `${attempt.status ?? ''} ${attempt.result}`.trim()}
                </span>
                <span className="mono block truncate text-second">{attempt.deployment}</span>
              </div>
              <span className="mono whitespace-nowrap">{format.duration(attempt.tookMs)}</span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
