import type { SessionCtx } from '../ports.ts'

/** For users without a password: for this long after signing in, no further proof is required. */
const RECENT_MS = 15 * 60_000

/** Whether the current session began within RECENT_MS. A session that was left open somewhere did not. */
export async function signedInRecently(ctx: SessionCtx<'clock' | 'userSessions'>): Promise<boolean> {
  const at = ctx.clock.now()
  const session = (await ctx.userSessions.list(ctx.user.userId, at)).find(({ id }) => id === ctx.user.sessionId)
  return session !== undefined && at.getTime() - session.createdAt.getTime() < RECENT_MS
}
