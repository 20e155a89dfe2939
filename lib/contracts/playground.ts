import { z } from 'zod'
import { count, nano, time } from './common.ts'

/** POST /api/playground/key: a key for API calls from the console, valid for two hours. */
export const playgroundKeyInput = z.strictObject({ groupId: z.string().min(1).max(64) })
export type PlaygroundKeyInput = z.infer<typeof playgroundKeyInput>

/** The secret is in this answer and nowhere else. Keep it in the page's memory only. */
export const playgroundKey = z.object({ secret: z.string(), expiresAt: time })
export type PlaygroundKey = z.infer<typeof playgroundKey>

/** GET /api/playground/figures?request= : what a request cost that has just ended. */
export const recordedFiguresInput = z.strictObject({ request: z.string().min(1).max(64) })
/** Null: there is no record yet, which is normal right after the end, or there will be none. */
export const recordedFigures = z.object({
  figures: z.object({ chargedNano: nano, inputUnits: count, outputUnits: count }).nullable(),
})
export type RecordedFigures = z.infer<typeof recordedFigures>
