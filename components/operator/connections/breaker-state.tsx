'use client'
import { useTranslations } from 'next-intl'
import type { BreakerView } from '#lib/contracts/traffic'
import { joinFacts } from '../../join-facts.ts'
import { Dot, Tag } from '../../ui/tag.tsx'
import { useFormat } from '../../use-format.ts'

const KNOWN_RESULTS = ['unreachable', 'timed_out', 'failed', 'broken', 'misconfigured'] as const

/** Why a call failed, in words. */
export function useFailureText(): (failure: NonNullable<BreakerView['failure']>) => string {
  const t = useTranslations('traffic')
  return ({ result, status }) =>
    status !== null && result === 'failed'
      ? t('failureStatus', { status })
      : t(`failureWords.${KNOWN_RESULTS.find((known) => known === result) ?? 'other'}`)
}

/** Whether the breaker is not closed in any process. */
export const isNotClosed = ({ open, halfOpen }: BreakerView): boolean => open + halfOpen > 0

/** The state of a deployment's breakers, as a tag. */
export function BreakerTag({ breaker }: { breaker: BreakerView }) {
  const t = useTranslations('traffic')
  const { mode, open, halfOpen, processes } = breaker
  if (mode === 'held')
    return (
      <Tag tone="bad">
        <Dot tone="bad" />
        {t('held')}
      </Tag>
    )
  const tone = open > 0 ? 'bad' : halfOpen > 0 ? 'warn' : 'good'
  return (
    <Tag tone={tone} className="whitespace-normal">
      <Dot tone={tone} />
      {open > 0 ? t('openIn', { open, processes }) : halfOpen > 0 ? t('tryingIn', { open: halfOpen, processes }) : t('closed')}
    </Tag>
  )
}

/** Since when, by whom and why a breaker is not closed. */
export function BreakerNote({ breaker }: { breaker: BreakerView }) {
  const t = useTranslations('traffic')
  const format = useFormat()
  const failureText = useFailureText()
  const { mode, heldAt, heldBy, since, failure } = breaker
  const parts = [
    mode === 'held' && heldAt !== null ? t('heldBy', { name: heldBy ?? '', ago: format.ago(heldAt) }) : null,
    mode !== 'held' && since !== null ? t('since', { time: format.moment(since) }) : null,
    failure === null ? null : t('lastFailure', { why: failureText(failure) }),
  ]
  return <>{joinFacts(parts)}</>
}
