import type { GroupAccount, GroupAccountQuery } from '#lib/contracts/operator-groups'
import { idOf, pageOf } from '../page-of.ts'
import type { Ctx } from '../ports.ts'

/**
 * Lists a page of the accounts that may choose a group that is not open to all, newest account first. Empty if there is no such
 * group.
 */
export async function listGroupAccounts({
  ctx,
  input: { id, before, limit },
}: {
  ctx: Ctx<'catalogReads'>
  input: GroupAccountQuery
}): Promise<{ rows: GroupAccount[]; next: string | null }> {
  const found = await ctx.catalogReads.groupAccounts(id, before ?? null, limit + 1)
  return pageOf(found, limit, (account) => account, idOf)
}
