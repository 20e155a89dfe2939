'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { Button } from '../ui/button.tsx'
import { useMe } from '../use-me.ts'
import type { Failure } from './call-api.ts'

/** The failure of a call in the API's own words, and the next step. */
export function FailureView({ failure, onRetry }: { failure: Failure; onRetry?: (() => void) | undefined }) {
  const t = useTranslations('playground.failure')
  const me = useMe()
  const { code, message, status } = failure
  // A payment ends only a suspension for debt. For other suspensions, the notice above says whom to contact.
  const payable = code === 'insufficient_quota' && (me?.suspended !== true || me.suspendedReason === 'debt')
  const text = code === 'unreachable' ? t('unreachable') : code === 'unexpected_answer' && message === '' ? t('broken') : message
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-md bg-bad-tint px-3 py-2.5">
      <p className="[overflow-wrap:anywhere]">
        <span className="mono mr-2 text-bad">{status === 0 ? code : `${status} ${code}`}</span>
        {text}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        {payable && (
          <Button asChild size="small">
            <Link href="/billing">{t('topUp')}</Link>
          </Button>
        )}
        {code === 'model_not_found' && <p className="text-sm">{t('otherModel')}</p>}
        {onRetry !== undefined && code !== 'insufficient_quota' && code !== 'model_not_found' && (
          <Button size="small" onClick={onRetry}>
            {t('retry')}
          </Button>
        )}
      </div>
    </div>
  )
}
