/** Shapes of the videos in progress. */
import { z } from 'zod'
import { count, nano, time } from './common.ts'

export const runningTask = z.object({
  id: z.string(),
  /** When it was requested. */
  at: time,
  model: z.string(),
  /** Empty if the key no longer exists. */
  keyName: z.string(),
  state: z.enum(['pending', 'processing']),
  /** The length of the video. */
  seconds: count,
  heldNano: nano,
})
export type RunningTask = z.infer<typeof runningTask>

/** GET /api/tasks: the unfinished ones, newest first. `more` is how many are not in `rows`. */
export const runningTaskList = z.object({ rows: z.array(runningTask), more: count })
export type RunningTaskList = z.infer<typeof runningTaskList>

/** POST /api/tasks/{id}/cancel: `cancelling` if a gateway has yet to end it. */
export const cancelledTask = z.object({ state: z.enum(['cancelled', 'cancelling']) })
export type CancelledTask = z.infer<typeof cancelledTask>
