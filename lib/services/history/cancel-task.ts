import { idPattern } from '#lib/contracts/cursor'
import type { CancelledTask } from '#lib/contracts/tasks'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'

const TASK_ID = idPattern('task')
/** A gateway that is free takes far less. */
const WAIT_MS = 3_000

/**
 * Cancels a video in progress, as the API does: nothing is charged, its hold is released, and its vendor is told. A gateway does
 * it, and if none has within three seconds, one will later. Cancelling it again changes nothing.
 * Errors: `not_found`, also for another account's video, `conflict` if the video is finished.
 */
export async function cancelTask({ ctx, input }: { ctx: Ctx<'runningTasks'>; input: { id: string } }): Promise<CancelledTask> {
  const state = TASK_ID.test(input.id) ? await ctx.runningTasks.cancel(ctx.user.accountId, input.id, WAIT_MS) : null
  if (state === null) throw new ServiceError('not_found', 'There is no such video.')
  if (state === 'completed') throw new ServiceError('conflict', 'This video is finished and charged, so it cannot be cancelled.')
  return { state: state === 'failed' ? 'cancelled' : 'cancelling' }
}
