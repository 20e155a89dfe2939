import type { GroupRow } from '#lib/contracts/keys'
import { groupsWithExamples } from '../groups-with-examples.ts'
import type { Ctx } from '../ports.ts'

/** Lists the model groups that a key of this account can be bound to. */
export async function listGroups({ ctx }: { ctx: Ctx<'catalog' | 'clock'> }): Promise<{ rows: GroupRow[] }> {
  return { rows: await groupsWithExamples(ctx, ctx.user.accountId) }
}
