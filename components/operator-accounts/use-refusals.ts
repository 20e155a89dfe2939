'use client'
import type { OperatorAccount } from '#lib/contracts/operator-accounts'
import { useMe } from '../use-me.ts'

/** Why the server refuses actions on an account, whatever else the reader may change. */
export interface Refusals {
  /** It is the reader's own account, which they can neither suspend nor resume. */
  isOwn: boolean
  /** It is an owner's account and the reader is not an owner. They can neither suspend nor resume it, nor revoke its keys. */
  isOwnersOnly: boolean
  /** The reader is no owner, and may change the balance neither of their own account nor of an owner's. */
  isMoneyRefused: boolean
}

/** What the server refuses the reader on this account, by the rules of lib/store/operator/refusals.ts. */
export function useRefusals({ id, people }: Pick<OperatorAccount, 'id' | 'people'>): Refusals {
  const me = useMe()
  const mayAll = me?.role === 'owner'
  const isOwn = me?.accountId === id
  const isOwnersOnly = !mayAll && people.some(({ role }) => role === 'owner')
  return { isOwn, isOwnersOnly, isMoneyRefused: isOwnersOnly || (isOwn && !mayAll) }
}
