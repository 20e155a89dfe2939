'use client'
import { CircleCheck, CircleX, Info } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { ProbeView } from '#lib/contracts/operator-connections'
import { cn } from '../../cn.ts'
import { useFormat } from '../../use-format.ts'
import { useStoredText } from '../../use-stored-text.ts'

/** The result of a test request to a vendor, with what to do next. */
export function ProbeText({ probe }: { probe: ProbeView }) {
  const t = useTranslations('operator.probe')
  const format = useFormat()
  const storedText = useStoredText()
  const failed = !probe.ok && probe.reason !== 'unlisted'
  const Icon = probe.ok ? CircleCheck : failed ? CircleX : Info
  return (
    <div
      role="status"
      className={cn('flex gap-2.5 rounded-md px-3 py-2.5', failed ? 'bg-bad-tint text-bad' : 'bg-tint text-accent')}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      {probe.ok ? (
        <p>
          {probe.chat === null
            ? t('ok', { count: probe.models, took: format.duration(probe.tookMs) })
            : t('okChat', { model: probe.chat, took: format.duration(probe.tookMs) })}
        </p>
      ) : (
        <div className="min-w-0">
          <p className="font-medium">{t(`titles.${probe.reason}`)}</p>
          <p className="text-ink">{t(`texts.${probe.reason}`)}</p>
          {failed && <p className="mono mt-1 break-words text-second">{storedText(probe.message)}</p>}
        </div>
      )}
    </div>
  )
}
