import type { RunningTaskList } from '#lib/contracts/tasks'
import type { Ctx } from '../ports.ts'

const MAX_ROWS = 20

/** Lists the account's videos in progress, newest first. They hold money, and the history has no row for them yet. */
export async function listRunningTasks({ ctx }: { ctx: Ctx<'runningTasks'> }): Promise<RunningTaskList> {
  const { records, total } = await ctx.runningTasks.list(ctx.user.accountId, MAX_ROWS)
  const rows = records.map(({ id, at, modelId, keyName, state, seconds, heldNano }) => ({
    ...{ id, keyName, state, seconds },
    at: at.toISOString(),
    model: modelId,
    heldNano: heldNano.toString(),
  }))
  return { rows, more: total - rows.length }
}
