'use client'
import type { OperatorAccount } from '#lib/contracts/operator-accounts'
import { useMe } from '../use-me.ts'

/** Why the server refuses actions on an account, whatever else the reader may change. */
export interface Refusals {
  /** It is the reader's own account, which they can neither suspend nor resume. */
  isOwn: boolean
  /** It is an owner's account and the reader is not an owner. They can neither suspend nor resume it, nor revoke its keys. */
  isOwnersOnly: boolean
}

/** What the server refuses the reader on this account, by the rules of lib/store/operator/account-writes.ts. */
export function useRefusals({ id, people }: Pick<OperatorAccount, 'id' | 'people'>): Refusals {
  const me = useMe()
  return { isOwn: me?.accountId === id, isOwnersOnly: me?.role !== 'owner' && people.some(({ role }) => role === 'owner') }
}
