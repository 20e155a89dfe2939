'use client'
import { FlaskConical, OctagonAlert } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { useMe } from '../use-me.ts'
import { Notice } from './notice.tsx'
import { VerifyNotice } from './verify-notice.tsx'

const code = (chunks: ReactNode) => <code className="mono whitespace-nowrap">{chunks}</code>

/** What holds for the whole account: that it is suspended, that its address is not confirmed, that answers are a simulation. */
export function Notices() {
  const t = useTranslations('shell')
  const me = useMe()
  if (me === undefined) return null
  return (
    <>
      {me.suspended && (
        <Notice tone="bad" icon={<OctagonAlert aria-hidden />}>
          {t('suspended')}
          {me.suspendedReason !== null && (
            <> {me.suspendedReason === 'debt' ? t('suspendedDebt') : t('suspendedWhy', { reason: me.suspendedReason })}</>
          )}
        </Notice>
      )}
      {!me.emailVerified && <VerifyNotice email={me.email} mail={me.mail} />}
      {me.sandboxOnly && (
        <Notice tone="warn" icon={<FlaskConical aria-hidden />}>
          {t.rich('sandbox', { code })}
        </Notice>
      )}
    </>
  )
}
