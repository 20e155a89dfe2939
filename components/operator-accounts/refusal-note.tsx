'use client'
import { useTranslations } from 'next-intl'
import type { OperatorAccount } from '#lib/contracts/operator-accounts'
import { useMayChange } from '../operator/use-may-change.ts'
import { useRefusals } from './use-refusals.ts'

/** Explains why buttons are missing that other accounts have. */
export function RefusalNote({ account }: { account: OperatorAccount }) {
  const t = useTranslations('operatorAccounts')
  const { isOwn, isOwnersOnly, isMoneyRefused } = useRefusals(account)
  if (!useMayChange() || account.state === 'closed' || !(isOwn || isOwnersOnly)) return null
  return (
    <p className="max-w-prose text-second">
      {t(isOwnersOnly ? 'ownersOnly' : isMoneyRefused ? 'ownAccountMoney' : 'ownAccount')}
    </p>
  )
}
