import { type AccountQuery, type AccountRow, formatAccountCursor } from '#lib/contracts/operator-accounts'
import { pageOf } from '../page-of.ts'
import type { Ctx } from '../ports.ts'
import { startOfMonth } from '../utc.ts'
import type { AccountRecord } from './operator-account-ports.ts'

/** The end of a secret as keyHint() leaves it, with or without the parts before it. */
const KEY_SUFFIX = /^(?:sk-tg-)?…?([0-9A-Za-z]{4})$/

function searchOf(text: string): { text: string; hint: string | null } {
  const end = KEY_SUFFIX.exec(text)?.[1]
  return { text, hint: end === undefined ? null : `sk-tg-…${end}` }
}

const rowOf = ({ place: _, balanceNano, createdAt, ...row }: AccountRecord, spentNano: bigint): AccountRow => ({
  ...row,
  balanceNano: balanceNano.toString(),
  spentMonthNano: spentNano.toString(),
  createdAt: createdAt.toISOString(),
})

/**
 * Lists a page of the accounts, newest first, or of those that a search finds: first by id, then by the end of a key, by address,
 * by name. This month's charges are added up only for the rows of the page.
 */
export async function listAccounts({
  ctx,
  input,
}: {
  ctx: Ctx<'operatorAccounts' | 'clock'>
  input: AccountQuery
}): Promise<{ rows: AccountRow[]; next: string | null }> {
  const { state = null, role = null, limit } = input
  const search = input.search ? searchOf(input.search) : null
  const found = await ctx.operatorAccounts.page({ search, state, role, after: input.before ?? null }, limit + 1)
  const { rows, next } = pageOf(
    found,
    limit,
    (record) => record,
    ({ place }) => formatAccountCursor(place),
  )
  const ids = rows.map(({ id }) => id)
  const spent = await ctx.operatorAccounts.spentSince(ids, startOfMonth(ctx.clock.now()))
  return { rows: rows.map((record) => rowOf(record, spent.get(record.id) ?? 0n)), next }
}
