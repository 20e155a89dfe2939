'use client'
import type { OperatorAccount } from '#lib/contracts/operator-accounts'
import { useMe } from '../use-me.ts'

/** Why the server refuses acts on an account, whatever else the reader may change. */
export interface Refusals {
  /** It is the reader's own: they neither suspend it nor take it up again. */
  own: boolean
  /** It is an owner's, and the reader is none: they do neither, and revoke none of its keys. */
  owners: boolean
}

/** What the server refuses the reader on this account, by what it decides by: lib/store/operator/account-writes.ts. */
export function useRefusals({ id, people }: Pick<OperatorAccount, 'id' | 'people'>): Refusals {
  const me = useMe()
  return { own: me?.accountId === id, owners: me?.role !== 'owner' && people.some(({ role }) => role === 'owner') }
}
