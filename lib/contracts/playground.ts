import { z } from 'zod'
import { time } from './common.ts'

/** POST /api/playground/key: a key for API calls from the console, valid for two hours. */
export const playgroundKeyInput = z.strictObject({ groupId: z.string().min(1).max(64) })
export type PlaygroundKeyInput = z.infer<typeof playgroundKeyInput>

/** The secret is in this answer and nowhere else. Keep it in the page's memory only. */
export const playgroundKey = z.object({ secret: z.string(), expiresAt: time })
export type PlaygroundKey = z.infer<typeof playgroundKey>
