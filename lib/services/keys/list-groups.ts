import type { GroupRow } from '#lib/contracts/keys'
import type { Ctx } from '../ports.ts'

/** Lists the model groups that a key of this account can be bound to. */
export async function listGroups({ ctx }: { ctx: Ctx<'catalog'> }): Promise<{ rows: GroupRow[] }> {
  const groups = await ctx.catalog.groups(ctx.user.accountId)
  return { rows: groups.map((group) => ({ ...group })) }
}
