'use client'
import { useTranslations } from 'next-intl'
import type { AutoTopUpView } from '#lib/contracts/auto-top-up'
import { formatMoney } from '#lib/domain/format-money'
import { cn } from '../cn.ts'
import { Tag, type Tone } from '../ui/tag.tsx'
import { useFormat } from '../use-format.ts'

const TONES: Record<AutoTopUpView['state'], Tone> = {
  off: 'plain',
  on: 'good',
  under_way: 'good',
  waiting: 'warn',
  ceiling: 'warn',
  paused: 'warn',
}

/** The state of automatic top-up, in a word. */
export function PlanTag({ data }: { data: AutoTopUpView }) {
  const t = useTranslations('autoTopUp.states')
  return <Tag tone={data.offReason === null ? TONES[data.state] : 'bad'}>{t(data.state)}</Tag>
}

/** Problems that the account holder should know about, and what to do. Renders nothing if all is well. */
export function PlanNote({ data }: { data: AutoTopUpView }) {
  const t = useTranslations('autoTopUp.notes')
  const format = useFormat()
  const { state, offReason, lastFailure, retryAt } = data
  const failed = lastFailure && {
    amount: formatMoney(lastFailure.amountNano).text,
    when: format.moment(lastFailure.at),
    why: t(`why.${lastFailure.reason}`),
  }
  const note = () => {
    if (offReason === 'card_removed') return t('cardRemoved')
    if (offReason === 'refunded' || offReason === 'disputed') return t(offReason)
    if (offReason !== null) return failed ? t('off', failed) : t('offUnknown')
    if (state === 'under_way') return t('underWay')
    if (state === 'waiting' && failed && retryAt !== null) return t('waiting', { ...failed, next: format.moment(retryAt) })
    if (state === 'ceiling') return t('ceiling', { date: format.day(data.monthEnds.slice(0, 10)) })
    return state === 'paused' ? t('paused') : null
  }
  const text = note()
  if (text === null) return null
  const bad = offReason !== null && offReason !== 'card_removed' && offReason !== 'refunded'
  return (
    <p
      role="status"
      className={cn('rounded-md px-3 py-2 text-sm', bad ? 'bg-bad-tint' : state === 'under_way' ? 'bg-tint' : 'bg-warn-tint')}
    >
      {text}
    </p>
  )
}
