'use client'
import { useTranslations } from 'next-intl'
import { useMe } from '../use-me.ts'

/** Whether an operator has suspended the account. A payment ends only a suspension for debt. */
export function useIsSuspendedByOperator(): boolean {
  const me = useMe()
  return me?.suspended === true && me.suspendedReason !== 'debt'
}

/** Tells those who are about to pay that this does not lift the suspension of their account. */
export function SuspendedNote() {
  const t = useTranslations('billing')
  if (!useIsSuspendedByOperator()) return null
  return <p className="max-w-prose rounded-md bg-warn-tint px-3 py-2 text-sm">{t('suspendedPay')}</p>
}
