'use client'
import { Construction, FlaskConical, Megaphone, OctagonAlert } from 'lucide-react'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { useFreshMe } from '../use-me.ts'
import { Notice, noticeTags } from './notice.tsx'
import { VerifyNotice } from './verify-notice.tsx'

/**
 * Notices on every page: maintenance, the operators' notice, a suspended account, an unconfirmed address, simulated responses.
 */
export function Notices() {
  const t = useTranslations('shell')
  const me = useFreshMe()
  if (me === undefined) return null
  return (
    <>
      {me.maintenance && (
        <Notice tone="warn" icon={<Construction aria-hidden />}>
          {t(me.role === 'holder' ? 'maintenance' : 'maintenanceOperator')}
        </Notice>
      )}
      {me.notice !== null && (
        <Notice tone={me.notice.severity === 'info' ? 'plain' : me.notice.severity} icon={<Megaphone aria-hidden />}>
          {me.notice.text}
        </Notice>
      )}
      {me.suspended && (
        <Notice
          tone="bad"
          icon={<OctagonAlert aria-hidden />}
          action={
            me.suspendedReason === 'debt' && (
              <Link href="/billing" className="font-medium underline underline-offset-4">
                {t('payDebt')}
              </Link>
            )
          }
        >
          {t('suspended')}
          {me.suspendedReason !== null && (
            <> {me.suspendedReason === 'debt' ? t('suspendedDebt') : t('suspendedWhy', { reason: me.suspendedReason })}</>
          )}
        </Notice>
      )}
      {!me.emailVerified && <VerifyNotice email={me.email} mail={me.mail} />}
      {me.sandboxOnly && (
        <Notice tone="warn" icon={<FlaskConical aria-hidden />}>
          {t.rich('sandbox', noticeTags)}
        </Notice>
      )}
    </>
  )
}
