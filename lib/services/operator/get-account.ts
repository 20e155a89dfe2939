import type { AccountKey, OperatorAccount, Person } from '#lib/contracts/operator-accounts'
import type { KeyRecord } from '../keys/key-ports.ts'
import { keyState } from '../keys/key-row.ts'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { startOfMonth } from '../utc.ts'
import type { PersonRecord } from './operator-account-ports.ts'

const personOf = ({ lastSeenAt, createdAt, ...person }: PersonRecord): Person => ({
  ...person,
  lastSeenAt: lastSeenAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
})

const keyOf = (key: KeyRecord, now: Date): AccountKey => ({
  id: key.id,
  name: key.name,
  hint: key.hint,
  groupName: key.groupName,
  state: keyState(key, now),
  createdAt: key.createdAt.toISOString(),
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
})

/** The error of operator verbs for an account that does not exist: 404. */
export const createAccountNotFoundError = (): ServiceError => new ServiceError('not_found', 'There is no such account.')

/** Returns an account as operators see it: its users, its money, and its keys without their secrets. Errors: `not_found`. */
export async function getAccount({
  ctx,
  input: { id },
}: {
  ctx: Ctx<'operatorAccounts' | 'keys' | 'catalog' | 'clock'>
  input: { id: string }
}): Promise<OperatorAccount> {
  const now = ctx.clock.now()
  const account = await ctx.operatorAccounts.find(id)
  if (!account) throw createAccountNotFoundError()
  const [people, payments, keys, groups, spent] = await Promise.all([
    ctx.operatorAccounts.people(id, now),
    ctx.operatorAccounts.waitingPayments(id),
    ctx.keys.list(id),
    ctx.catalog.groups(id),
    ctx.operatorAccounts.spentSince([id], startOfMonth(now)),
  ])
  return {
    id,
    name: account.name,
    state: account.state,
    suspendedAt: account.suspendedAt?.toISOString() ?? null,
    suspendedReason: account.suspendedReason,
    createdAt: account.createdAt.toISOString(),
    balanceNano: account.balanceNano.toString(),
    leasedNano: account.leasedNano.toString(),
    owedNano: account.owedNano.toString(),
    spentMonthNano: (spent.get(id) ?? 0n).toString(),
    waitingPayments: payments.map(({ amountNano, createdAt, ...payment }) => ({
      ...payment,
      amountNano: amountNano.toString(),
      createdAt: createdAt.toISOString(),
    })),
    people: people.map(personOf),
    keys: keys.map((key) => keyOf(key, now)),
    groups: groups.map(({ id: groupId, name, isDefault, multiplierBp }) => ({ id: groupId, name, isDefault, multiplierBp })),
  }
}
